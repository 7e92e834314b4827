"""Reads the folders of tests/golden and takes one through the judge. Expected values stand in case.toml alone."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.core.device import default_product
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.plan import (
    AllocStep,
    LaunchAttribute,
    LaunchStep,
    MapStep,
    MemsetStep,
    Plan,
    Step,
)
from evaluation.core.plan_json import plan_from_json
from evaluation.core.records import StageReport
from evaluation.core.sass import Disassembly
from evaluation.core.verdict import Language, Stage, Target

GOLDEN = Path(__file__).parent / "golden"
Table = dict[str, object]


@dataclass(frozen=True)
class Case:
    """One folder: ``kernel.cu`` as a candidate would hand it in, and what must come of it."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    @cached_property
    def stated(self) -> Table:
        return tomllib.loads((self.folder / "case.toml").read_text())

    @cached_property
    def expect(self) -> Table:
        found = self.stated["expect"]
        assert isinstance(found, dict)
        return found

    def table(self, key: str) -> Table:
        found = self.expect.get(key, {})
        assert isinstance(found, dict)
        return found

    def job(self) -> Job:
        catalogue = packaged()
        target = Target(str(self.stated["target"]))
        return Job(
            source=(self.folder / "kernel.cu").read_bytes(),
            language=Language.CUDA,
            problem=catalogue.problem(str(self.stated["problem"])),
            target=target,
            device=catalogue.device(default_product(target)),
        )


@dataclass(frozen=True)
class Seen:
    """What the judge made of a case."""

    reports: tuple[StageReport, ...]
    tools: Tools

    @property
    def last(self) -> StageReport:
        return self.reports[-1]

    @property
    def signals(self) -> set[str]:
        return {signal.kind for report in self.reports for signal in report.signals}

    def fact(self, stage: Stage, name: str) -> str | int:
        (report,) = (one for one in self.reports if one.stage is stage)
        return next(fact.value for fact in report.facts if fact.name == name)

    def artifact(self, name: str) -> bytes:
        ref = next(ref for report in self.reports for ref in report.artifacts if ref.name == name)
        return self.tools.artifacts.get(ref.sha256, limit_bytes=1 << 28)

    @cached_property
    def plan(self) -> Plan:
        return plan_from_json(self.artifact("plan"))

    def opcodes(self) -> dict[str, Counter[str]]:
        """Full opcodes by function, counted over the disassembly of the cubin that was built."""
        found = self.tools.disassembler.disassemble(self.artifact("cubin"))
        assert isinstance(found, Disassembly)
        return {
            one.name: Counter(instruction.opcode for instruction in one.instructions)
            for one in found.functions
        }


def judge(case: Case, tools: Tools) -> Seen:
    return Seen(tuple(prepare(case.job(), tools, lambda _: None)), tools)


def cases(kind: str) -> list[Case]:
    return [Case(path.parent) for path in sorted((GOLDEN / kind).glob("*/case.toml"))]


def launches(steps: tuple[Step, ...]) -> list[Table]:
    """Launches in the words of case.toml."""
    return [
        {
            "name": step.function,
            "grid": list(step.grid),
            "block": list(step.block),
            "cluster": _cluster(step),
            "dynamic_shared_bytes": step.shared,
        }
        for step in steps
        if isinstance(step, LaunchStep)
    ]


def _cluster(step: LaunchStep) -> list[int]:
    found = [one.value for one in step.settings if one.attribute is LaunchAttribute.CLUSTER]
    return list(found[0]) if found else [1, 1, 1]


def plan_in_words(plan: Plan) -> Table:
    """The facts of a plan under the keys of ``[expect.plan]``."""
    return {
        "launches": sum(isinstance(step, LaunchStep) for step in plan.steady),
        "tensor_maps": sum(isinstance(step, MapStep) for step in plan.steady),
        "memset_bytes": [
            step.width * step.columns * step.rows
            for step in plan.steady
            if isinstance(step, MemsetStep)
        ],
        "setup_alloc_bytes": [step.size for step in plan.setup if isinstance(step, AllocStep)],
        "call_alloc_bytes": [step.size for step in plan.steady if isinstance(step, AllocStep)],
        "kernels": launches(plan.steady),
    }
