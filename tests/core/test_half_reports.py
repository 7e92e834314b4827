"""A half is whole when its reports are there and agree with its end; contradictions are refused by name."""

import pytest

from evaluation.core.errors import InvalidInput
from evaluation.core.half_reports import check_place, whole_half
from evaluation.core.records import ArtifactRef, Outcome, StageReport
from evaluation.core.run_words import Half
from evaluation.core.verdict import Stage, Verdict

CUBIN = ArtifactRef("cubin", "ab" * 32, 9)
POLICY = StageReport(Stage.POLICY, "fine")
BUILD = StageReport(Stage.BUILD, "compiles", artifacts=(CUBIN,))
RECORD = StageReport(Stage.RECORD, "recorded")
SCAN = StageReport(Stage.SCAN, "HGMMA")
FAILED = StageReport(Stage.BUILD, "does not compile", Verdict.BUILD_FAILED)
CHECK = StageReport(Stage.CHECK, "right")
WRONG = StageReport(Stage.CHECK, "wrong", Verdict.WRONG_RESULT)
PROBE = StageReport(Stage.PROBE, "executed")
TIME = StageReport(Stage.TIME, "fast", Verdict.ACCEPTED)
LATER_WRONG = StageReport(Stage.TIME, "wrong in a later call", Verdict.WRONG_RESULT)

PREPARED = {0: POLICY, 1: BUILD, 2: RECORD, 3: SCAN}
MEASURED = {0: CHECK, 1: PROBE, 2: TIME}


@pytest.mark.parametrize(
    ("half", "reports", "verdict", "artifacts"),
    [
        (Half.PREPARE, PREPARED, None, (CUBIN,)),
        (Half.PREPARE, {0: POLICY, 1: FAILED}, Verdict.BUILD_FAILED, ()),
        (Half.MEASURE, MEASURED, Verdict.ACCEPTED, ()),
        (Half.MEASURE, {0: WRONG}, Verdict.WRONG_RESULT, ()),
        (Half.MEASURE, {0: CHECK, 1: LATER_WRONG}, Verdict.WRONG_RESULT, ()),
    ],
    ids=["handed over", "does not build", "accepted", "wrong", "wrong without a probe"],
)
def test_a_whole_half_gives_its_reports_in_their_order(
    half: Half,
    reports: dict[int, StageReport],
    verdict: Verdict | None,
    artifacts: tuple[ArtifactRef, ...],
) -> None:
    backwards = dict(reversed(reports.items()))
    whole = whole_half(half, backwards, verdict, artifacts)
    assert whole == Outcome(tuple(reports.values()))


@pytest.mark.parametrize(
    ("half", "reports", "verdict"),
    [
        (Half.PREPARE, {}, None),
        (Half.PREPARE, {0: POLICY, 1: BUILD, 3: SCAN}, None),
        (Half.PREPARE, {0: POLICY, 1: BUILD, 2: RECORD}, None),
        (Half.PREPARE, {0: POLICY}, Verdict.BUILD_FAILED),
        (Half.MEASURE, {1: PROBE, 2: TIME}, Verdict.ACCEPTED),
        (Half.MEASURE, {0: CHECK, 2: TIME}, Verdict.ACCEPTED),
    ],
    ids=["all", "one between", "the last", "the one with the verdict", "the first", "the probe"],
)
def test_a_half_waits_for_reports_that_are_missing(
    half: Half, reports: dict[int, StageReport], verdict: Verdict | None
) -> None:
    assert whole_half(half, reports, verdict, (CUBIN,) if verdict is None else ()) is None


@pytest.mark.parametrize(
    ("half", "reports", "verdict", "rule"),
    [
        (Half.MEASURE, MEASURED, None, "verdict: is missing after the last half"),
        (Half.PREPARE, PREPARED, Verdict.ACCEPTED, "cannot be accepted before the kernel ran"),
        (Half.PREPARE, PREPARED, Verdict.TIMEOUT, "is timeout, and the last report says none"),
        (Half.MEASURE, {0: WRONG}, Verdict.TIMEOUT, "the last report says wrong_result"),
        (Half.PREPARE, {0: POLICY, 1: FAILED}, None, "is none, and the last report says build"),
        (Half.PREPARE, {0: POLICY, 1: FAILED, 2: RECORD}, None, "go on behind a verdict"),
        (Half.PREPARE, {0: POLICY, 1: FAILED, 2: RECORD, 3: SCAN}, None, "behind the last one"),
        (Half.PREPARE, {0: POLICY, 1: FAILED, 3: SCAN}, Verdict.BUILD_FAILED, "behind the last"),
        (
            Half.MEASURE,
            {0: StageReport(Stage.CHECK, "right", Verdict.ACCEPTED)},
            Verdict.ACCEPTED,
            "cannot be accepted by check",
        ),
        (Half.PREPARE, PREPARED, None, "artifacts: are not those of its reports"),
    ],
    ids=[
        "no verdict at the end",
        "accepted without running",
        "a verdict that no report has",
        "another verdict",
        "no verdict where there is one",
        "more after a verdict",
        "a whole half after a verdict",
        "more after a gap",
        "accepted without being timed",
        "other artifacts",
    ],
)
def test_what_contradicts_itself_is_refused(
    half: Half, reports: dict[int, StageReport], verdict: Verdict | None, rule: str
) -> None:
    with pytest.raises(InvalidInput, match=rule):
        whole_half(half, reports, verdict, ())


@pytest.mark.parametrize(
    ("half", "place", "stage"),
    [
        (Half.PREPARE, 0, Stage.POLICY),
        (Half.PREPARE, 3, Stage.SCAN),
        (Half.MEASURE, 0, Stage.CHECK),
        (Half.MEASURE, 1, Stage.PROBE),
        (Half.MEASURE, 1, Stage.TIME),
        (Half.MEASURE, 2, Stage.TIME),
    ],
)
def test_a_stage_has_its_place(half: Half, place: int, stage: Stage) -> None:
    check_place(half, place, stage)


@pytest.mark.parametrize(
    ("half", "place", "stage"),
    [
        (Half.PREPARE, 1, Stage.POLICY),
        (Half.PREPARE, -1, Stage.POLICY),
        (Half.PREPARE, 10**30, Stage.SCAN),
        (Half.PREPARE, 0, Stage.CHECK),
        (Half.MEASURE, 0, Stage.POLICY),
        (Half.MEASURE, 0, Stage.TIME),
        (Half.MEASURE, 3, Stage.TIME),
    ],
)
def test_and_no_other(half: Half, place: int, stage: Stage) -> None:
    with pytest.raises(InvalidInput, match=f"cannot be of {stage}"):
        check_place(half, place, stage)
