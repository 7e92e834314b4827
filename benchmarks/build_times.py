"""Build and record times against a plain ``nvcc -shared`` of the same file, in the same run, in the same jail.

    PYTHONPATH=. .venv/bin/python benchmarks/build_times.py [-n ROUNDS] [--steps] [CASE ...]

A CASE is a folder with kernel.cu and case.toml; without one the golden kernels are measured. Prints medians. ``build``
is our build (caches off) with each set of headers, ``record`` is what follows until there is a launch plan, ``nvcc`` is
what a user would type. The order within a round is random, because a machine's speed drifts.
"""

import argparse
import os
import random
import statistics
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.wiring import compiler, find_toolchain, jail_of, prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.core.compile.build import Built, Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.compile.description import Description
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits
from evaluation.core.verdict import Language, Stage, Target

REPOSITORY = Path(__file__).parents[1]
DEVICES = {Target.HOPPER: "h200", Target.BLACKWELL: "b200"}
LIMITS = Limits(300, 300, 6 << 30, 1 << 30, 1 << 30, 32, 64, 1 << 16, 1 << 16)


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    source: bytes
    problem: str
    target: Target

    @classmethod
    def read(cls, folder: Path) -> "Case":
        stated = tomllib.loads((folder / "case.toml").read_text())
        source = (folder / "kernel.cu").read_bytes()
        return cls(folder.name, source, stated["problem"], Target(stated["target"]))

    def job(self) -> Job:
        there = packaged()
        device = there.device(DEVICES[self.target])
        return Job(self.source, Language.CUDA, there.problem(self.problem), self.target, device)


@dataclass(frozen=True, slots=True)
class With:
    """The compiler with one set of headers."""

    nvcc: Nvcc
    headers: HeaderSet

    def build(self, source: bytes, target: Target) -> Program:
        return self.nvcc.build(source, target, headers=(self.headers,))

    def description(self, target: Target, headers: HeaderSet, *, prints: bool) -> Description:
        return self.nvcc.description(target, headers, prints=prints)


@dataclass(frozen=True, slots=True)
class Bench:
    jail: Jail
    toolchain: Toolchain
    tools: Tools
    nvcc: Nvcc

    def plain_nvcc(self, case: Case) -> dict[str, float]:
        """Seconds of ``nvcc -shared`` as the published benchmark's users run it, with the real headers."""
        command = JailCommand(
            (
                *(
                    "/toolchain/bin/nvcc",
                    "-shared",
                    "-O3",
                    "-std=c++17",
                    "-lineinfo",
                    "-Xcompiler",
                    "-fPIC",
                ),
                *("-gencode", case.target.gencode, "--cudart=none", "-I/toolchain/tvm/include"),
                *("-isystem", "/toolchain/cccl", "/w/kernel.cu", "-o", "kernel.so"),
            ),
            LIMITS,
            binds=self.toolchain.compile_binds(),
            files=(JailFile("/w/kernel.cu", case.source),),
            environment=(("PATH", "/usr/bin"), ("TMPDIR", "/tmp")),  # noqa: S108 - the jail's own
        )
        began = time.monotonic()
        result = self.jail.run(command)
        if result.exit_code != 0:
            sys.exit(
                f"{case.name}: nvcc fails: {result.stderr.content.decode(errors='replace')[:400]}"
            )
        return {"nvcc": time.monotonic() - began}

    def staged(self, case: Case, headers: HeaderSet) -> dict[str, float]:
        tools = replace(self.tools, compiler=With(self.nvcc, headers))
        seconds = {}
        for report in prepare(case.job(), tools, lambda _: None):
            if report.ends_run:
                sys.exit(f"{case.name}: {report.stage} ends the run: {report.headline}")
            seconds[report.stage] = report.seconds
        build, record = seconds[Stage.BUILD], seconds[Stage.RECORD]
        return {
            f"build {headers}": build,
            f"record {headers}": record,
            f"both {headers}": build + record,
        }


def rounds(bench: Bench, case: Case, count: int) -> dict[str, float]:
    """Medians by column."""
    seen: dict[str, list[float]] = {}
    ways: list[Callable[[], dict[str, float]]] = [
        lambda: bench.plain_nvcc(case),
        *(lambda headers=headers: bench.staged(case, headers) for headers in HeaderSet),
    ]
    for _ in range(count):
        for way in random.sample(ways, len(ways)):
            for column, seconds in way().items():
                seen.setdefault(column, []).append(seconds)
    return {column: statistics.median(values) for column, values in seen.items()}


def table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        cells = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield "  ".join((row[0].ljust(widths[0]), *cells))


def steps(bench: Bench, case: Case) -> Iterator[tuple[str, ...]]:
    for headers in HeaderSet:
        program = With(bench.nvcc, headers).build(case.source, case.target)
        if isinstance(program, Built):
            yield from (
                (case.name, headers, step.name, f"{step.seconds:.2f}") for step in program.steps
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("cases", nargs="*", type=Path, metavar="CASE")
    parser.add_argument("-n", dest="count", type=int, default=3, help="rounds, 3 by default")
    parser.add_argument("--steps", action="store_true", help="also print what each tool takes")
    options = parser.parse_args()

    workspace = Workspace(default_home(os.environ, uid=os.geteuid()))
    tools = prepare_tools(workspace, cached=False)
    jail = jail_of(workspace)
    toolchain = find_toolchain(workspace, jail)
    bench = Bench(jail, toolchain, tools, compiler(workspace, jail, toolchain, cached=False))
    folders = options.cases or sorted((REPOSITORY / "tests/golden/kernels").iterdir())
    cases = [Case.read(folder) for folder in folders]

    columns = (
        "nvcc",
        *(f"{what} {headers}" for headers in HeaderSet for what in ("build", "record", "both")),
    )
    measured = [(case, rounds(bench, case, options.count)) for case in cases]
    rows: list[tuple[str, ...]] = [("seconds, median", *columns, "slim / nvcc", "real / nvcc")]
    rows += [
        (
            case.name,
            *(f"{medians[column]:.2f}" for column in columns),
            *(f"{medians[f'both {headers}'] / medians['nvcc']:.2f}" for headers in HeaderSet),
        )
        for case, medians in measured
    ]
    overall = {
        column: statistics.median(medians[column] for _, medians in measured) for column in columns
    }
    rows.append(
        (
            "median of all",
            *(f"{overall[column]:.2f}" for column in columns),
            *(f"{overall[f'both {headers}'] / overall['nvcc']:.2f}" for headers in HeaderSet),
        )
    )
    print("\n".join(table(rows)))
    print(
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end, {options.count} rounds"
    )
    if options.steps:
        print()
        print(
            "\n".join(
                table(
                    [
                        ("case", "headers", "step", "seconds"),
                        *(row for case in cases for row in steps(bench, case)),
                    ]
                )
            )
        )


if __name__ == "__main__":
    main()
