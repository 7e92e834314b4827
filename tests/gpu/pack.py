"""Makes a pack of golden kernels for a machine with a GPU (``packed.py`` says what is in it).

    .venv/bin/python -m tests.gpu.pack build/gpu-pack [--target hopper] [--only CASE ...]

Run from the repository root, where the pinned toolchain is. A case that does not come through the scan is an error.
"""

import argparse
import hashlib
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.core import wire
from evaluation.core.binary.facts_json import CubinAnswer
from evaluation.core.catalogue.device import default_product
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.records import StageReport
from evaluation.core.verdict import FamilyExecuted, Language, Stage, Target

from .packed import GOLDEN, KINDS, Description

ARTIFACT_BYTES = 1 << 28


class NotPrepared(Exception):
    """A golden case for the GPU half was refused before it."""


def job_of(folder: Path) -> Job:
    stated = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    there = packaged()
    target = Target(stated["target"])
    return Job(
        source=(folder / "kernel.cu").read_bytes(),
        language=Language.CUDA,
        problem=there.problem(stated["problem"]),
        target=target,
        device=there.device(default_product(target)),
    )


def golden_folders(target: Target, only: Sequence[str] = ()) -> Iterator[Path]:
    for path in sorted(path for kind in KINDS for path in (GOLDEN / kind).glob("*/case.toml")):
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
        if stated["target"] == target and (not only or path.parent.name in only):
            yield path.parent


def write_case(folder: Path, tools: Tools, out: Path) -> None:
    """Prepare one golden case and write what the GPU half needs of it into ``out``."""
    job = job_of(folder)
    reports = tuple(prepare(job, tools, lambda _: None))
    last = reports[-1]
    if last.stage is not Stage.SCAN or last.verdict is not None:
        raise NotPrepared(f"{folder.name}: {last.stage} ends the run: {last.headline}")
    cubin = _artifact(reports, tools, "cubin")
    facts = tools.inspector.cubin(cubin)
    described = Description(
        problem=job.problem.name,
        target=job.target,
        family=FamilyExecuted(_fact(last, "family_static")),
        source_sha256=hashlib.sha256(job.source).hexdigest(),
    )
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "cubin").write_bytes(cubin)
    (out / "plan.json").write_bytes(_artifact(reports, tools, "plan"))
    (out / "facts.json").write_bytes(wire.encode(CubinAnswer(facts, None)))
    (out / "case.json").write_text(described.document(), encoding="utf-8")


def _artifact(reports: Sequence[StageReport], tools: Tools, name: str) -> bytes:
    (ref,) = (ref for report in reports for ref in report.artifacts if ref.name == name)
    return tools.artifacts.get(ref.sha256, limit_bytes=ARTIFACT_BYTES)


def _fact(report: StageReport, name: str) -> str:
    (value,) = (fact.value for fact in report.facts if fact.name == name)
    return str(value)


def write_pack(out: Path, target: Target, only: Sequence[str] = ()) -> None:
    tools = prepare_tools(Workspace(default_home(os.environ, uid=os.geteuid())))
    for folder in golden_folders(target, only):
        write_case(folder, tools, out / folder.name)
        print(folder.name, flush=True)  # noqa: T201 - a program that says how far it is


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--target", type=Target, default=Target.HOPPER)
    parser.add_argument("--only", nargs="*", default=(), metavar="CASE")
    options = parser.parse_args(arguments)
    write_pack(options.out, options.target, options.only)


if __name__ == "__main__":
    main(sys.argv[1:])
