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
from evaluation.adapters.gpu.cupti_library import CountersLibrary, find_cupti
from evaluation.adapters.trusted_cubin import TrustedCubins
from evaluation.adapters.wiring import find_toolchain, jail_of, prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.core.catalogue.device import default_product
from evaluation.core.measure.parts import parts_of
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.records import ArtifactRef, Outcome
from evaluation.core.verdict import Language, Target

from .packed import COUNTERS, GOLDEN, HOSTS, KINDS, Description, trusted_name


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


def golden_folders(
    target: Target, only: Sequence[str] = (), kinds: Sequence[str] = KINDS
) -> Iterator[Path]:
    for path in sorted(path for kind in kinds for path in (GOLDEN / kind).glob("*/case.toml")):
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
        if stated["target"] == target and (not only or path.parent.name in only):
            yield path.parent


def write_case(folder: Path, tools: Tools, out: Path) -> None:
    """Prepare one golden case and write what the GPU half needs of it into ``out``."""
    job = job_of(folder)
    outcome = Outcome(tuple(prepare(job, tools, lambda _: None)))
    if outcome.verdict is not None:
        last = outcome.reports[-1]
        raise NotPrepared(f"{folder.name}: {last.stage} ends the run: {last.headline}")
    parts = parts_of(outcome)
    stated = Description(
        problem=job.problem.name,
        target=job.target,
        family=parts.family,
        bulk_rows=parts.bulk_rows,
        source_sha256=hashlib.sha256(job.source).hexdigest(),
    )
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "cubin").write_bytes(_content(parts.cubin, tools))
    (out / "plan.json").write_bytes(_content(parts.plan, tools))
    (out / "facts.json").write_bytes(_content(parts.facts, tools))
    (out / "case.json").write_text(stated.document(), encoding="utf-8")


def _content(part: ArtifactRef, tools: Tools) -> bytes:
    return tools.artifacts.get(part.sha256, limit_bytes=part.size)


def write_ours(out: Path, target: Target, workspace: Workspace) -> None:
    """Write the judge's own kernels and its counters library."""
    jail = jail_of(workspace)
    toolchain = find_toolchain(workspace, jail)
    cubin = TrustedCubins(jail, toolchain, workspace.native).built(target)
    counters = CountersLibrary(jail, toolchain, find_cupti(), workspace.native).built()
    out.mkdir(parents=True, exist_ok=True)
    (out / trusted_name(target)).write_bytes(cubin)
    (out / COUNTERS).write_bytes(counters)


def write_pack(out: Path, target: Target, only: Sequence[str] = ()) -> None:
    workspace = Workspace(default_home(os.environ, uid=os.geteuid()))
    tools = prepare_tools(workspace)
    write_ours(out, target, workspace)
    for place, kinds in ((out, KINDS), (out / HOSTS, (HOSTS,))):
        for folder in golden_folders(target, only, kinds):
            write_case(folder, tools, place / folder.name)
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
