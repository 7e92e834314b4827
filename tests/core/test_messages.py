import pytest

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.messages import Attempt, HalfFinished, PrepareJob, StageReported, Versions
from evaluation.core.records import ArtifactRef, Fact, Outcome, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Language, Severity, Stage, Target, Verdict

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


def test_the_report_key_is_not_in_the_printed_form() -> None:
    assert "kkkk" not in repr(JOB)


def test_another_judge_version_is_seen() -> None:
    assert Versions().current
    assert not Versions(judge="0").current
    assert not Versions(schema=2).current


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
