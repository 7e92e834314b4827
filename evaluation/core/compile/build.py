"""The build stage: what a compile may cost, what can come of it, and what the report says."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.records import ArtifactRef, Fact, Remark, StageReport
from evaluation.core.source.lexer import LIMIT_SOURCE_BYTES
from evaluation.core.verdict import Stage, Target, Verdict


@dataclass(frozen=True, slots=True)
class BuildLimits:
    """Bounds of one build. ``memory_bytes`` holds for each of the two halves that run side by side.

    Each half, host and device, has ``cpu_seconds`` of processor time for all of its tools and both sets of headers;
    what needs more is the author's to mend. So no build computes for longer than twice that. A build that is not done
    after ``wall_seconds``, several times as long, had too busy a host: that is our failure and no verdict.
    """

    source_bytes: int = LIMIT_SOURCE_BYTES
    cpu_seconds: int = 60
    wall_seconds: float = 600.0
    memory_bytes: int = 6 << 30
    scratch_bytes: int = 512 << 20
    object_bytes: int = 64 << 20


class FailureKind(StrEnum):
    """Why a source has no program. Each is the author's to mend."""

    SOURCE_TOO_LARGE = "source_too_large"
    ERROR = "error"
    CRASH = "crash"  # the compiler died of this source
    TIMEOUT = "timeout"
    MEMORY = "memory"
    OBJECT_TOO_LARGE = "object_too_large"
    DEVICE_CALLS = "device_calls"  # printf or assert is declared in a form that cannot be replaced


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of wall clock for one tool run; two halves run side by side."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Built:
    """A compiled kernel: ``cubin`` is ptxas's own output, ``library`` the host part without any device image.

    Where the device code calls printf or assert, ``cubin`` is assembled from PTX in which both are replaced, and
    ``unmodified_cubin`` from ``ptx`` as it is (docs/rules.md, T5); elsewhere that is empty.
    """

    cubin: bytes = field(repr=False)
    ptx: bytes = field(repr=False)
    library: bytes = field(repr=False)
    headers: HeaderSet
    log: str
    seconds: float
    steps: tuple[StepTime, ...] = ()
    from_cache: bool = False
    unmodified_cubin: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Failed:
    """No program. ``step`` is the name of the step that said no, ``log`` what it said, cleaned for people."""

    kind: FailureKind
    step: str
    headers: HeaderSet
    log: str
    seconds: float
    from_cache: bool = False


Program = Built | Failed

_STEP_WORDS = {
    "host_preprocess": "preprocessing the host part",
    "host_split": "the host front end",
    "device_preprocess": "preprocessing the device part",
    "device_compile": "the device compiler",
    "assemble": "the assembler ptxas",
    "assemble_measured": "the assembler ptxas, with printf and assert replaced",
    "host_compile": "the host compiler",
    "host_assemble": "the host assembler",
    "link": "the linker",
}


def judge_build(
    program: Program, *, target: Target, toolchain: str, artifacts: tuple[ArtifactRef, ...] = ()
) -> StageReport:
    """Say what came of the compile. ``toolchain`` is the toolchain id, ``artifacts`` where the products were put."""
    facts = (
        Fact("target", target.sm),
        Fact("toolchain", toolchain),
        Fact("headers", program.headers),
    )
    if isinstance(program, Failed):
        return StageReport(
            stage=Stage.BUILD,
            headline=_headline(program),
            verdict=Verdict.BUILD_FAILED,
            remarks=(_remark(program),),
            facts=facts,
            artifacts=artifacts,
            log=program.log,
            seconds=program.seconds,
        )
    return StageReport(
        stage=Stage.BUILD,
        headline=f"compiled for {target.sm}",
        facts=(
            *facts,
            Fact("cubin", len(program.cubin), "bytes"),
            Fact("cubin_sha256", hashlib.sha256(program.cubin).hexdigest()),
            *_unmodified(program.unmodified_cubin),
            Fact("library", len(program.library), "bytes"),
        ),
        artifacts=artifacts,
        log=program.log,
        seconds=program.seconds,
    )


def _unmodified(cubin: bytes) -> tuple[Fact, ...]:
    sha256 = hashlib.sha256(cubin).hexdigest()
    return (Fact("unmodified_cubin_sha256", sha256),) if cubin else ()


def _headline(failed: Failed) -> str:
    sentence, _ = _SENTENCES[failed.kind]
    return sentence.format(step=_STEP_WORDS.get(failed.step, failed.step))


def _remark(failed: Failed) -> Remark:
    _, instead = _SENTENCES[failed.kind]
    return Remark(rule=f"build_{failed.kind}", message=_headline(failed), instead=instead)


# What happened, and what to do instead.
_SENTENCES: Mapping[FailureKind, tuple[str, str]] = {
    FailureKind.SOURCE_TOO_LARGE: (
        "the source is too large",
        "a smaller file; fill tables on the device",
    ),
    FailureKind.ERROR: (
        "does not compile: {step} reports errors",
        "mend what the compiler's log names; the log is part of this report",
    ),
    FailureKind.CRASH: (
        "does not compile: {step} crashed on it",
        "write the construct that it crashes on in another way",
    ),
    FailureKind.TIMEOUT: (
        "compiles for too long: stopped in {step}",
        "fewer or smaller unrolled loops and template recursions",
    ),
    FailureKind.MEMORY: (
        "needs too much memory to compile: stopped in {step}",
        "smaller constant expressions, templates and unrolled loops",
    ),
    FailureKind.OBJECT_TOO_LARGE: (
        "compiles to too much: stopped in {step}",
        "no large initialised arrays; fill them on the device",
    ),
    FailureKind.DEVICE_CALLS: (
        "printf or assert cannot be replaced in its PTX",
        "call printf and assert from C++; the build's log says what is in the way",
    ),
}
