from dataclasses import replace

import pytest

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.parts import Parts
from evaluation.core.measure.seen import DeviceSeen, Libraries
from evaluation.core.messages import (
    Attempt,
    CanaryReported,
    CanaryRun,
    DeviceHeartbeat,
    HalfFinished,
    KernelLost,
    KernelNoted,
    MeasureJob,
    PrepareJob,
    StageReported,
    Versions,
)
from evaluation.core.records import ArtifactRef, Fact, Outcome, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import (
    FamilyExecuted,
    Language,
    Severity,
    Stage,
    Target,
    Verdict,
)

ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 2, "k" * 32)
JOB = PrepareJob(
    Versions(),
    ATTEMPT,
    "ab" * 32,
    1234,
    Language.CUDA,
    "gemm_n7168_k5120",
    1,
    Target.HOPPER,
    "h200",
)
PARTS = Parts(
    plan=ArtifactRef("plan", "12" * 32, 700),
    cubin=ArtifactRef("cubin", "34" * 32, 9000),
    facts=ArtifactRef("facts", "56" * 32, 500),
    family=FamilyExecuted.UNKNOWN,
)
MEASURE_JOB = MeasureJob(
    Versions(), ATTEMPT, PARTS, "gemm_n7168_k5120", 1, Target.HOPPER, "h200", losses=1
)
LIBRARIES = Libraries("2.11.0", "13.0", "13.0", "13.1.0", "9.15.1")
DEVICE = DeviceSeen(
    product="h200",
    name="NVIDIA H200",
    uuid="GPU-1",
    driver="580.159.04",
    compute_capability=(9, 0),
    multiprocessors=132,
    l2_bytes=62914560,
    memory_bytes=150_000_000_000,
    libraries=LIBRARIES,
    confined=True,
)
REPORT = StageReport(
    Stage.BUILD,
    "does not compile",
    Verdict.BUILD_FAILED,
    remarks=(Remark("compiler", "expected a ';'", line=3, column=9),),
    signals=(Signal("dlopen", 1, Severity.NOTE, Stage.POLICY, "Loads a library.", ("line 3",)),),
    facts=(Fact("cubin", 4096, "bytes"), Fact("headers", "slim")),
    artifacts=(ArtifactRef("cubin", "cd" * 32, 4096),),
    log="kernel.cu(3): error",
    seconds=1.5,
)


def test_a_job_survives_the_wire() -> None:
    assert wire.decode(PrepareJob, wire.encode(JOB), where="job") == JOB


def test_a_stage_report_survives_the_wire_with_signals_facts_and_artifacts() -> None:
    message = StageReported(Versions(), ATTEMPT, "prepare@a", 1, REPORT)
    assert wire.decode(StageReported, wire.encode(message), where="m") == message


def test_a_half_without_verdict_survives_the_wire() -> None:
    message = HalfFinished(Versions(), ATTEMPT, "prepare@a", None, (), 3.0)
    assert wire.decode(HalfFinished, wire.encode(message), where="m") == message


def test_a_measure_job_survives_the_wire_and_keeps_its_key_to_itself() -> None:
    assert wire.decode(MeasureJob, wire.encode(MEASURE_JOB), where="job") == MEASURE_JOB
    assert "kkkk" not in repr(MEASURE_JOB)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"34" * 32, b"34" * 31, "a part's sha256 is malformed"),
        (b'"size":700', b'"size":-1', "a part's size is not 0 to 268435456 bytes"),
        (b'"size":700', b'"size":268435457', "a part's size is not 0 to 268435456 bytes"),
        (b'"family":"unknown"', b'"family":"yes"', "a scan cannot say that the family is yes"),
        (b"gemm_n7168_k5120", b"../../etc", "the problem's name is malformed"),
        (b'"device":"h200"', b'"device":""', "the device's name is malformed"),
        (b'"losses":1', b'"losses":-1', "problem version or losses is out of range"),
        (b'"problem_version":1', b'"problem_version":0', "problem version or losses is out of"),
    ],
)
def test_a_malformed_measure_job_is_refused(old: bytes, new: bytes, message: str) -> None:
    content = wire.encode(MEASURE_JOB)
    assert old in content
    with pytest.raises(InvalidInput, match=message):
        wire.decode(MeasureJob, content.replace(old, new), where="job")


@pytest.mark.parametrize("seen", [DEVICE, None])
def test_a_device_s_beat_survives_the_wire(seen: DeviceSeen | None) -> None:
    beat = DeviceHeartbeat(Versions(), "measure@a", "h200", seen, "a canary is out of band", "")
    assert wire.decode(DeviceHeartbeat, wire.encode(beat), where="m") == beat


def test_a_lost_kernel_survives_the_wire() -> None:
    lost = KernelLost(Versions(), ATTEMPT, "measure@a", "ab" * 32, 2, "the worker ended")
    assert wire.decode(KernelLost, wire.encode(lost), where="m") == lost


def test_a_noted_kernel_survives_the_wire() -> None:
    noted = KernelNoted(Versions(), ATTEMPT, "measure@a", "ab" * 32)
    assert wire.decode(KernelNoted, wire.encode(noted), where="m") == noted


def test_canaries_are_well_when_every_one_is() -> None:
    well = CanaryRun(
        name="gemm",
        well=True,
        said="",
        ratio=0.76,
        low=0.70,
        high=0.80,
        sm_mhz=1980,
        memory_mhz=3201,
        temperature_c=45,
        power_mw=500_000,
    )
    ill = replace(well, well=False, said="wrong_result", ratio=None)
    report = CanaryReported(Versions(), "measure@a", "h200", (well, ill))
    assert wire.decode(CanaryReported, wire.encode(report), where="m") == report
    assert not report.well
    assert CanaryReported(Versions(), "measure@a", "h200", (well,)).well


def test_the_report_key_is_not_in_the_printed_form() -> None:
    assert "kkkk" not in repr(JOB)


def test_another_judge_version_is_seen() -> None:
    assert Versions().current
    assert not Versions(judge="0").current
    assert not Versions(schema=1).current


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"ab" * 32, b"AB" * 32, "the source's sha256 is malformed"),
        (b"gemm_n7168_k5120", b"../../etc", "the problem's name is malformed"),
        (b"h200", b"h 200", "the device's name is malformed"),
        (b'"number":2', b'"number":0', "the attempt's number is not 1 to 1000"),
        (b"0b1f6f0e-", b"0b1f6f0e", "the attempt's uuid is malformed"),
        (b"k" * 32, b"k" * 4, "the attempt's report key is malformed"),
        (
            b'"source_bytes":1234',
            b'"source_bytes":-1',
            "source bytes or problem version is out of range",
        ),
        (
            b'"problem_version":1',
            b'"problem_version":0',
            "source bytes or problem version is out of range",
        ),
    ],
)
def test_a_malformed_job_is_refused(old: bytes, new: bytes, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        wire.decode(PrepareJob, wire.encode(JOB).replace(old, new), where="job")


@pytest.mark.parametrize("kind", ["Bad", "x", "a b", ""])
def test_a_signal_kind_is_one_stable_word(kind: str) -> None:
    with pytest.raises(ValueError, match="snake_case"):
        Signal(kind, 1, Severity.NOTE, Stage.POLICY, "A sentence.")


def test_a_signal_has_a_version_and_a_sentence() -> None:
    with pytest.raises(ValueError, match="start at 1"):
        Signal("kind", 0, Severity.NOTE, Stage.POLICY, "A sentence.")
    with pytest.raises(ValueError, match="no sentence"):
        Signal("kind", 1, Severity.NOTE, Stage.POLICY, "")


def test_an_outcome_has_the_last_verdict_and_all_signals_and_artifacts() -> None:
    first = StageReport(Stage.POLICY, "fine", signals=REPORT.signals)
    assert Outcome((first, REPORT)).verdict is Verdict.BUILD_FAILED
    assert Outcome((first, REPORT)).signals == REPORT.signals * 2
    assert Outcome((first, REPORT, REPORT)).artifacts == (
        ArtifactRef("cubin", "cd" * 32, 4096),
        ArtifactRef("cubin", "cd" * 32, 4096),
    )
    assert Outcome(()).verdict is None
    assert REPORT.ends_run
    assert not first.ends_run


def test_the_target_names_its_exact_architecture_and_no_ptx() -> None:
    assert Target.HOPPER.gencode == "arch=compute_90a,code=sm_90a"
    assert Target.BLACKWELL.gencode == "arch=compute_100a,code=sm_100a"
    assert (Target.HOPPER.sm, Target.BLACKWELL.sm) == ("sm_90a", "sm_100a")


def test_only_the_last_three_stages_need_a_gpu() -> None:
    assert [str(stage) for stage in Stage if stage.needs_gpu] == ["check", "probe", "time"]


def test_an_invalid_input_names_file_key_and_rule() -> None:
    assert (
        str(InvalidInput(where="a.toml", key="axes.M", rule="is missing"))
        == "a.toml: axes.M: is missing"
    )
    assert str(InvalidInput(where="a.toml", key="", rule="is empty")) == "a.toml: is empty"
