"""Reads the folders of tests/golden and takes one through the judge. Expected values stand in case.toml alone."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.device import default_product
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.plan.plan import (
    AllocStep,
    AttributeStep,
    CopyStep,
    LaunchAttribute,
    LaunchStep,
    MapEncode,
    MapStep,
    MemsetStep,
    PayloadStep,
    Place,
    Plan,
    Step,
)
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.records import StageReport
from evaluation.core.scan.sass import Disassembly
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

    @cached_property
    def cubin(self) -> CubinFacts:
        return self.tools.inspector.cubin(self.artifact("cubin"))

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


def launch_in_words(step: LaunchStep, plan: Plan, cubin: CubinFacts) -> Table:
    """A launch under the keys of case.toml. A key for something special has a value for its absence too."""
    settings = {one.attribute: one.value for one in step.settings}
    maps = _maps(plan, "call")
    function = cubin.function(step.function)
    assert function is not None
    content = step.parameters.content
    return {
        "name": step.function,
        "grid": list(step.grid),
        "block": list(step.block),
        "cluster": list(settings.get(LaunchAttribute.CLUSTER, function.cluster or (1, 1, 1))),
        "cluster_in_cubin": function.cluster is not None,
        "preferred_cluster": list(settings.get(LaunchAttribute.PREFERRED_CLUSTER, (1, 1, 1))),
        "cluster_policy": settings.get(LaunchAttribute.CLUSTER_POLICY, (0,))[0],
        "programmatic": settings.get(LaunchAttribute.PROGRAMMATIC_SERIALIZATION, (0,)) == (1,),
        "cooperative": step.cooperative,
        "dynamic_shared_bytes": step.shared,
        "pointers": [place_in_words(one.to) for one in step.parameters.relocations],
        "maps": [place_in_words(maps[use.map].address) for use in step.parameters.maps],
        "parameter_hex": content.hex(),
        "undetermined": "any" if step.undetermined else "none",
        "stepping": [
            {
                "at": one.at,
                "width": one.width,
                "step": one.step,
                "first": int.from_bytes(content[one.at : one.at + one.width], "little"),
            }
            for one in step.stepping
        ],
    }


def place_in_words(place: Place) -> str | list[str]:
    """``argument:0+128``; a list of them for a place that goes round a cycle of calls."""
    words = [one.base + (f"+{one.offset}" if one.offset else "") for one in place]
    return words[0] if len(words) == 1 else words


def plan_in_words(plan: Plan, cubin: CubinFacts) -> Table:
    """The facts of a plan under the keys of ``[expect.plan]``."""
    return {
        "launches": sum(isinstance(step, LaunchStep) for step in plan.steady),
        "tensor_maps": sum(isinstance(step, MapStep) for step in plan.steady),
        "memset_bytes": _memset_bytes(plan.steady),
        "setup_memset_bytes": _memset_bytes(plan.setup),
        "setup_alloc_bytes": [step.size for step in plan.setup if isinstance(step, AllocStep)],
        "call_alloc_bytes": [step.size for step in plan.steady if isinstance(step, AllocStep)],
        "setup_steps": [_kind(step) for step in plan.setup],
        "call_steps": [_kind(step) for step in plan.steady],
        "stack_bytes": plan.stack_bytes,
        "queries": sorted({one.call for one in plan.assumptions}),
        "kernels": _launches(plan.steady, plan, cubin),
        "setup_kernels": _launches(plan.setup, plan, cubin),
        "attributes": _attributes(plan),
        "payloads": _payloads(plan),
        "copies": _copies(plan),
    }


def _launches(steps: tuple[Step, ...], plan: Plan, cubin: CubinFacts) -> list[Table]:
    return [launch_in_words(step, plan, cubin) for step in steps if isinstance(step, LaunchStep)]


def _memset_bytes(steps: tuple[Step, ...]) -> list[int]:
    return [step.width * step.columns * step.rows for step in steps if isinstance(step, MemsetStep)]


def _kind(step: Step) -> str:
    return type(step).__name__.removesuffix("Step").lower()


def _when(plan: Plan) -> list[tuple[str, Step]]:
    return [("setup", step) for step in plan.setup] + [("call", step) for step in plan.steady]


def _maps(plan: Plan, when: str) -> list[MapEncode]:
    steps = plan.setup if when == "setup" else plan.steady
    return [step.encode for step in steps if isinstance(step, MapStep)]


def _attributes(plan: Plan) -> list[Table]:
    return [
        {"when": when, "kernel": step.function, "number": step.attribute, "value": step.value}
        for when, step in _when(plan)
        if isinstance(step, AttributeStep)
    ]


def _payloads(plan: Plan) -> list[Table]:
    return [
        {
            "when": when,
            "bytes": step.columns * step.rows,
            "to": place_in_words(step.destination),
            "hex": step.payload.content.hex(),
            "pointers": [place_in_words(one.to) for one in step.payload.relocations],
            "maps": [
                place_in_words(_maps(plan, when)[use.map].address) for use in step.payload.maps
            ],
        }
        for when, step in _when(plan)
        if isinstance(step, PayloadStep)
    ]


def _copies(plan: Plan) -> list[Table]:
    return [
        {
            "when": when,
            "bytes": step.columns * step.rows,
            "to": place_in_words(step.destination),
            "from": place_in_words(step.source),
        }
        for when, step in _when(plan)
        if isinstance(step, CopyStep)
    ]


def differences(wanted: object, found: object, where: str) -> list[str]:
    """What ``found`` lacks of ``wanted``. Keys that a case does not state are not compared."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [
            text
            for key, value in wanted.items()
            for text in differences(value, found.get(key), f"{where}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(found, list) and _are_tables(wanted, found):
        return [
            text
            for place, pair in enumerate(zip(wanted, found, strict=True))
            for text in differences(*pair, f"{where}[{place}]")
        ]
    return [] if wanted == found else [f"{where}: wanted {wanted!r}, found {found!r}"]


def _are_tables(wanted: list[object], found: list[object]) -> bool:
    return len(wanted) == len(found) and all(isinstance(one, dict) for one in wanted)
