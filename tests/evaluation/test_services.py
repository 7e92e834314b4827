"""What is handed in is stored once, whole or not at all."""

from dataclasses import replace

import evaluation_rows as rows
import pytest

from evaluation.core.entry_words import Ending, Missing, Track, Visibility
from evaluation.core.errors import InvalidInput
from evaluation.core.records import Fact, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Language, Severity, Stage, Target
from evaluation.core.wire import decode
from evaluation.models import (
    Artifact,
    Entry,
    Hold,
    Kernel,
    ReportedResult,
    Trajectory,
    Turn,
)
from evaluation.models import Signal as SignalRow
from evaluation.models import StageReport as ReportRow
from evaluation.services import (
    NewEntry,
    NewReported,
    NewTrajectory,
    NewTurn,
    accept_model,
    add_entry,
    add_kernel,
    add_model,
    add_trajectory,
    model_named,
    set_visibility,
    store_artifact,
    store_report,
    stored,
    withdraw,
)

pytestmark = pytest.mark.django_db

# printf 'abc' | sha256sum
ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

ENTRY = NewEntry(
    owner=rows.ALICE,
    digest="d" * 64,
    language=Language.CUDA,
    proposed_model="a model",
    prompts=1,
    trajectories=2,
    turns=2,
)
RIGHT = NewTurn(
    number=0,
    kernel=b"abc",
    reply=b"Here it is: abc",
    prompt_tokens=25_000,
    reported=NewReported(status="PASSED", correct=True, speedup=0.812, device="H100"),
)
WITHOUT = NewTurn(number=1, missing=Missing.NO_CODE, missing_said="The reply has no code block.")
TRAJECTORY = NewTrajectory(
    problem="gemm_n4096_k4096",
    problem_version=1,
    target=Target.HOPPER,
    turns=(RIGHT, WITHOUT),
    reported_device="H100",
    ending=Ending.TURNS_USED,
    document=b"{}",
)


def stored_entry() -> Entry:
    return add_entry(ENTRY, at=rows.AT).entry


def test_bytes_are_stored_once() -> None:
    store = rows.FakeArtifacts()
    first = store_artifact(store, b"abc", "log", at=rows.AT)
    again = store_artifact(store, b"abc", "source", at=rows.AT)
    assert first.pk == again.pk
    assert (first.sha256, first.size, first.kind) == (ABC, 3, "log")
    assert store.kept == {ABC: b"abc"}


def test_the_same_bytes_in_two_languages_are_two_kernels_and_one_artifact() -> None:
    store = rows.FakeArtifacts()
    cuda = add_kernel(store, b"abc", Language.CUDA, at=rows.AT)
    triton = add_kernel(store, b"abc", Language.TRITON, at=rows.AT)
    again = add_kernel(store, b"abc", Language.CUDA, at=rows.AT)
    assert (cuda.sha256, cuda.size) == (ABC, 3)
    assert cuda.pk == again.pk != triton.pk
    assert Artifact.objects.count() == 1


def test_an_owner_hands_the_same_thing_in_once() -> None:
    first = add_entry(ENTRY, at=rows.AT)
    again = add_entry(replace(ENTRY, harness="another"), at=rows.AT)
    other = add_entry(replace(ENTRY, owner=rows.BOB), at=rows.AT)
    assert (first.created, again.created, other.created) == (True, False, True)
    assert first.entry.pk == again.entry.pk != other.entry.pk
    assert Entry.objects.get(pk=first.entry.pk).harness == ""


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"digest": "D" * 64}, "digest"),
        ({"proposed_model": ""}, "model"),
        ({"model": "nobody"}, "model"),
        ({"turns": 0}, "turns"),
        ({"prompts": 10_001}, "prompts"),
        ({"single_kernel": True}, "trajectories"),
        ({"visibility": Visibility.EMBARGOED}, "embargo_until"),
        ({"owner": "x" * 65}, "owner"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_an_entry_that_breaks_a_rule_is_refused_by_name(
    change: dict[str, object], key: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        add_entry(replace(ENTRY, **change), at=rows.AT)  # type: ignore[arg-type]  # one of its keys
    assert refused.value.key == key
    assert Entry.objects.count() == 0


def test_a_trajectory_is_stored_with_its_turns() -> None:
    store = rows.FakeArtifacts()
    added = add_trajectory(store, stored_entry(), TRAJECTORY, at=rows.AT)
    assert added.created
    first, second = Turn.objects.filter(trajectory=added.trajectory).order_by("number")
    assert first.kernel is not None
    assert first.reply is not None
    assert (first.kernel.sha256, first.kernel.language, first.prompt_tokens) == (
        ABC,
        "cuda",
        25_000,
    )
    assert store.get(first.reply.sha256, limit_bytes=99) == b"Here it is: abc"
    assert (first.reported.status, first.reported.correct, first.reported.speedup) == (
        "PASSED",
        True,
        0.812,
    )
    assert (second.kernel, second.missing) == (None, "no_code")
    assert second.missing_said == "The reply has no code block."
    assert not ReportedResult.objects.filter(turn=second).exists()


def test_an_import_that_comes_again_doubles_nothing() -> None:
    store = rows.FakeArtifacts()
    entry = stored_entry()
    first = add_trajectory(store, entry, TRAJECTORY, at=rows.AT)
    again = add_trajectory(store, entry, TRAJECTORY, at=rows.AT)
    assert (again.created, again.trajectory.pk) == (False, first.trajectory.pk)
    assert (Trajectory.objects.count(), Turn.objects.count(), Kernel.objects.count()) == (1, 2, 1)


def test_trajectories_with_the_same_kernel_share_it() -> None:
    store = rows.FakeArtifacts()
    entry = stored_entry()
    add_trajectory(store, entry, TRAJECTORY, at=rows.AT)
    add_trajectory(store, entry, replace(TRAJECTORY, number=1), at=rows.AT)
    assert (Turn.objects.count(), Kernel.objects.count()) == (4, 1)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"prompt": 1}, "prompt"),
        ({"number": 2}, "number"),
        ({"number": -1}, "number"),
        ({"problem": ""}, "problem"),
        ({"turns": (replace(RIGHT, number=2),)}, "turns[2]"),
        ({"turns": (RIGHT, RIGHT)}, "turns[0]"),
        ({"turns": (replace(RIGHT, kernel=None),)}, "kernel"),
        ({"turns": (replace(WITHOUT, kernel=b"abc"),)}, "kernel"),
        ({"turns": (replace(WITHOUT, missing=Missing.SCRUBBED),)}, "kernel"),
        ({"turns": (replace(WITHOUT, missing_said=""),)}, "missing_said"),
        ({"turns": (replace(RIGHT, cost_usd=float("nan")),)}, "cost_usd"),
        ({"turns": (replace(RIGHT, reasoning_tokens=10**13),)}, "reasoning_tokens"),
        (
            {"turns": (replace(RIGHT, reported=NewReported(status="", speedup=float("inf"))),)},
            "reported.speedup",
        ),
    ],
    ids=[
        "a prompt too many",
        "a trajectory too many",
        "a negative place",
        "no problem",
        "a turn too many",
        "a turn twice",
        "a turn without anything",
        "a kernel that is missing",
        "a scrubbed kernel that is not kept",
        "nothing said",
        "a cost that is no number",
        "more tokens than can be",
        "an infinite speedup",
    ],
)
def test_a_trajectory_that_breaks_a_rule_leaves_nothing(
    change: dict[str, object], key: str
) -> None:
    store = rows.FakeArtifacts()
    entry = stored_entry()
    with pytest.raises(InvalidInput) as refused:
        add_trajectory(store, entry, replace(TRAJECTORY, **change), at=rows.AT)  # type: ignore[arg-type]  # one of its keys
    assert refused.value.key == key
    assert store.kept == {}
    assert (Trajectory.objects.count(), Artifact.objects.count()) == (0, 0)


def test_text_that_no_column_takes_is_stored_without_it() -> None:
    entry = add_entry(replace(ENTRY, harness="a\0b\ud800" + "c" * 90), at=rows.AT).entry
    entry.refresh_from_db()
    assert entry.harness == "a\ufffdb?" + "c" * 75 + "…"


def test_text_that_fits_is_stored_as_it_is() -> None:
    assert stored("größer 🙂", 8) == "größer 🙂"


def test_a_name_is_found_in_any_case() -> None:
    one = add_model("demo-1", "Demo 1", Track.MODEL, aliases=("vendor/Demo-1-Large",))
    assert model_named(" VENDOR/demo-1-large ") == one
    assert model_named("Demo 1") == one
    assert model_named("demo-2") is None


def test_an_alias_of_another_model_stays_theirs() -> None:
    first = add_model("first", "First", Track.MODEL, aliases=("the best",))
    add_model("second", "Second", Track.MODEL, aliases=("The Best",))
    assert model_named("the best") == first


def test_a_model_is_added_once() -> None:
    first = add_model("first", "First", Track.MODEL)
    again = add_model("first", "Renamed", Track.MODEL, aliases=("one more",))
    assert (again.pk, again.name) == (first.pk, "First")
    assert model_named("one more") == first


def test_an_entry_is_accepted_once() -> None:
    entry, first, second = stored_entry(), rows.model(), rows.model()
    assert accept_model(entry, first)
    assert not accept_model(entry, second)
    entry.refresh_from_db()
    assert entry.model == first


def test_what_is_withdrawn_stays_withdrawn() -> None:
    entry = stored_entry()
    assert withdraw(entry, reason=" the wrong file ", at=rows.AT)
    assert not withdraw(entry, reason="again", at=rows.AT)
    assert not set_visibility(entry, Visibility.PUBLIC)
    entry.refresh_from_db()
    assert (entry.withdrawn_reason, entry.visibility) == ("the wrong file", "private")


def test_a_withdrawal_says_why() -> None:
    with pytest.raises(InvalidInput, match="say why"):
        withdraw(stored_entry(), reason=" ", at=rows.AT)


def test_an_embargo_needs_its_date_and_drops_it_when_it_ends() -> None:
    entry = stored_entry()
    with pytest.raises(InvalidInput, match="embargo_until"):
        set_visibility(entry, Visibility.EMBARGOED)
    assert set_visibility(entry, Visibility.EMBARGOED, embargo_until=rows.AT)
    assert set_visibility(entry, Visibility.PUBLIC)
    entry.refresh_from_db()
    assert (entry.visibility, entry.embargo_until) == ("public", None)


def test_a_stage_report_is_stored_once_and_reads_back() -> None:
    store = rows.FakeArtifacts()
    attempt = rows.attempt()
    said = Signal("reads_the_clock", 2, Severity.HOLD, Stage.SCAN, "It reads the clock.", ("CS2R",))
    report = StageReport(
        Stage.SCAN, "a \0 headline", signals=(said,), facts=(Fact("rows", 3),), log="abc"
    )
    assert store_report(store, attempt, 3, report, at=rows.AT)
    assert not store_report(store, attempt, 3, replace(report, headline="another"), at=rows.AT)
    row = ReportRow.objects.get(attempt=attempt)
    assert row.log is not None
    assert (row.place, row.stage, row.verdict, row.headline) == (3, "scan", "", "a \ufffd headline")
    assert row.log.sha256 == ABC
    assert decode(StageReport, row.body.encode(), where="test") == replace(report, log="")
    kept = SignalRow.objects.get(run=attempt.run)
    assert (kept.rule, kept.version, kept.severity, kept.said) == (
        "reads_the_clock",
        2,
        "hold",
        "It reads the clock.",
    )


def test_a_signal_that_asks_for_it_holds_the_kernel_of_its_run_and_a_note_does_not() -> None:
    store = rows.FakeArtifacts()
    attempt = rows.attempt()
    note = Signal("sleeps", 1, Severity.NOTE, Stage.SCAN, "It sleeps.")
    hold = Signal("reads_the_clock", 1, Severity.HOLD, Stage.SCAN, "It reads the clock.")
    store_report(store, attempt, 0, StageReport(Stage.BUILD, "built", signals=(note,)), at=rows.AT)
    assert not Hold.objects.exists()
    store_report(
        store, attempt, 1, StageReport(Stage.SCAN, "fine", signals=(note, hold)), at=rows.AT
    )
    placed = Hold.objects.get()
    assert (placed.kernel, placed.problem, placed.target) == (
        attempt.run.kernel,
        "gemm_n4096_k4096",
        "hopper",
    )
    assert (placed.state, placed.source, placed.placed_by, placed.why) == (
        "open",
        "signal",
        "reads_the_clock",
        "It reads the clock.",
    )
