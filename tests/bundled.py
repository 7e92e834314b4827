"""A small bundle of a kernel that was measured, by hand, for tests that break it in one place or measure it again."""

import hashlib
from dataclasses import replace

from evaluation.core import wire
from evaluation.core.bundle.bundle import Bundle, pack, unpack
from evaluation.core.judgement import Instruction, Judgement, Speed
from evaluation.core.measure.seen import (
    CheckSeen,
    ClockSample,
    DeviceSeen,
    Libraries,
    MeasureSeen,
    ProbeSeen,
    Roofs,
)
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    MatrixPath,
    Stage,
    Target,
    Verdict,
)

SOURCE = b"__global__ void k();\n"
DEVICE = DeviceSeen(
    product="h200",
    name="NVIDIA H200",
    uuid="GPU-1",
    driver="580.159",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=60 << 20,
    memory_bytes=139 << 30,
    libraries=Libraries("2.11.0", "13.0", "13.0", "13.1.0", "9.15.1"),
    confined=True,
)
CHECKED = CheckSeen(device=DEVICE, set_up_ns=0, set_up_bytes=0, calls=())


def clock(sm_mhz: int, throttle: int = 0) -> ClockSample:
    return ClockSample(
        at_ns=0,
        sm_mhz=sm_mhz,
        memory_mhz=3201,
        temperature_c=40,
        power_mw=500_000,
        throttle=throttle,
    )


MEASURED = MeasureSeen(
    device=DEVICE,
    calls=(),
    pairs=(),
    slopes=(),
    clocks=(clock(1500), clock(1900), clock(1980, throttle=4)),
    canaries=(),
    vendor_before_ns=(),
    vendor_after_ns=(),
    first_call_ns=0,
    launchers=3,
    asked_pairs=10,
    probe=ProbeSeen(()),
    roofs=Roofs(4.0e12, 8.0e14),
)
CONTENTS = {
    "build": b'{"toolchain":"t"}',
    "cubin": b"the cubin",
    "plan": b"the plan",
    "check_seen": wire.encode(CHECKED),
    "measure_seen": wire.encode(MEASURED),
    "error_map.C": b"a picture",
}
STAGES = {
    Stage.BUILD: ("build", "cubin"),
    Stage.RECORD: ("plan",),
    Stage.CHECK: ("check_seen", "error_map.C"),
    Stage.TIME: ("measure_seen",),
}
SPEED = Speed(ratio=0.5, low=0.49, high=0.51, candidate_ns=2000, vendor_ns=1000)


def ref(name: str, content: bytes) -> ArtifactRef:
    return ArtifactRef(name, hashlib.sha256(content).hexdigest(), len(content))


REPORTS = tuple(
    StageReport(
        stage,
        f"{stage} went well",
        verdict=Verdict.ACCEPTED if stage is Stage.TIME else None,
        artifacts=tuple(ref(name, CONTENTS[name]) for name in names),
    )
    for stage, names in STAGES.items()
)
JUDGEMENT = Judgement(
    source="/home/someone/kernel.cu",
    source_sha256=hashlib.sha256(SOURCE).hexdigest(),
    problem="gemm_n7168_k5120",
    problem_version=1,
    target=Target.HOPPER,
    device="h200",
    reports=REPORTS,
    missing=(),
    verdict=Verdict.ACCEPTED,
    correct=Correct.YES,
    instruction=Instruction(FamilyExecuted.YES, MatrixPath.YES, 0.98, 1.0),
    speed=SPEED,
    speed_reason="",
    integrity=Integrity.CLEAR,
    exit_code=0,
)


def content_of(artifact: ArtifactRef) -> bytes:
    return CONTENTS[artifact.name]


def packed(judgement: Judgement = JUDGEMENT) -> bytes:
    return pack(judgement, SOURCE, content_of)


def bundle(content: bytes) -> Bundle:
    return unpack(content, where="k.zip")


def judged(**changes: object) -> Judgement:
    return replace(JUDGEMENT, **changes)  # type: ignore[arg-type]
