"""No answer of the site tells of a held turn or of a hidden entry: every page, file, feed, badge and tag."""

from collections import Counter, deque
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT, GEMM, LATER
from page_reading import apart, found_in
from site_fixtures import artifacts
from submission_steps import person, program_of

from evaluation.models import Entry, Run, Turn
from leaderboard.models import Board
from leaderboard.projection import rebuild

__all__ = ["artifacts"]  # a fixture
pytestmark = pytest.mark.django_db

# Texts of ours, who signs in, and how much waits in the queues of all together, which says nothing of one kernel.
NOT_FOLLOWED = (
    *("/accounts/", "/admin/", "/static/", "/submissions/", "/tokens/", "/status/"),
    *("/method/", "/verdicts/", "/rules/", "/published/", "/changelog/"),
)
OF_ITS_NAME = "/models/topaz/"  # says how often somebody tried under it, whatever became of that
MOST_OF_A_KIND = 12  # of what pages link to; the filters of a board lead to many more

Answer = tuple[int, str, bytes]  # status, tag and content


def test_a_held_turn_is_answered_for_as_one_that_waits_at_every_address(artifacts: Path) -> None:
    whole = rows.judged(["po--", "p---", "----", "-p--", "f---"], model=rows.model(name="Quartz"))
    alone = rows.judged(["o"], model=rows.model(name="Opal"), single_kernel=True)
    open_turns = list(Turn.objects.filter(kernel__runs__state="waiting"))
    for turn in open_turns:
        rows.reported(turn, correct=True, speedup=2.0)
    rebuild(at=AT)
    program = program_of(person())
    before = everything_said(program, whole, alone, open_turns)
    for turn in open_turns:
        assert turn.kernel is not None
        Run.objects.filter(kernel=turn.kernel).update(
            **rows.accepted(ratio=3.0, device="h100-sxm"), boards_due_at=AT
        )
        rows.hold(turn)
    rebuild(at=AT)
    after = everything_said(program, whole, alone, open_turns)
    assert len(before) > 90
    assert before.keys() == after.keys()
    assert {one for one in before if before[one] != after[one]} == set()


@pytest.mark.parametrize(
    "hidden",
    [
        {"visibility": "private"},
        {"visibility": "embargoed", "embargo_until": AT + timedelta(days=3650)},
        {"withdrawn_at": AT, "withdrawn_reason": "A wrong file was handed in."},
    ],
    ids=["private", "embargoed", "withdrawn"],
)
def test_an_entry_that_is_not_public_is_told_at_no_address(
    artifacts: Path, hidden: dict[str, Any]
) -> None:
    quartz, topaz = rows.model(name="Quartz"), rows.model(name="Topaz", slug="topaz")
    whole = rows.judged(["pf--", "p---", "----", "-p--", "f---"], model=quartz)
    alone = rows.judged(["p"], model=rows.model(name="Opal"), single_kernel=True)
    rebuild(at=AT)
    turns = list(Turn.objects.filter(trajectory__entry=whole)[:3])
    of_topaz = [
        OF_ITS_NAME,
        "/compare/?model=topaz",
        "/compare/?model=topas",
        "/compare/?entry=own",
    ]
    of_topaz += [f"/models/topaz{one}.csv" for one in ("", "/cells", "/entries", "/newest", "/map")]
    of_topaz += ["/models.csv?sort=entries", "/boards/speed/h100-sxm/", "/boards.csv", "/gap.csv"]
    program = program_of(person())
    before = everything_said(program, whole, alone, turns, of_topaz)
    rows.judged(["pppp"] * 6, model=topaz, ratio=9.0, device="h100-sxm", harness="own", **hidden)
    rebuild(at=LATER)
    after = everything_said(program, whole, alone, turns, of_topaz)
    assert len(before) > 90
    assert before.keys() == after.keys()
    assert {one for one in before if before[one] != after[one]} == {OF_ITS_NAME}


def everything_said(
    program: Client,
    whole: Entry,
    alone: Entry,
    open_turns: list[Turn],
    others: Sequence[str] = (),
) -> dict[str, Answer]:
    """What a visitor finds from the first page on and at addresses that nothing links to, and what a program gets."""
    said: dict[str, Answer] = {}
    client, waiting = Client(), deque(["/", *unlinked(whole, alone, open_turns), *others])
    kinds: Counter[str] = Counter()
    while waiting:
        address = waiting.popleft()
        if address in said or address.startswith(NOT_FOLLOWED):
            continue
        reader = program if address.startswith("/api/") else client
        answer = reader.get(address, follow=True)
        content = b"".join(answer) if answer.streaming else answer.content
        # A page of something that is not there has the number of its request.
        kept = content if answer.status_code == 200 else b""
        said[address] = (answer.status_code, answer.headers.get("ETag", ""), kept)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            here = answer.redirect_chain[-1][0] if answer.redirect_chain else address
            for link in found_in(content.decode()).links:
                target = apart(urljoin(here, link))[0]
                kind = target.split("/")[1] if target not in said else ""
                if kinds[kind] < MOST_OF_A_KIND and not urlsplit(target).netloc:
                    kinds[kind] += bool(kind)
                    waiting.append(target)
    return said


def unlinked(whole: Entry, alone: Entry, open_turns: list[Turn]) -> list[str]:
    found = [f"/search/?q={word}" for word in ("Quartz", "Opal", str(alone.uid))]
    found += ["/leaders.csv", "/records.csv", f"/boards/speed/h200/fast.csv?problem={GEMM}&T=4"]
    found += [f"/boards/speed/h100-sxm/fast.csv?problem={GEMM}"]
    found += [f"/problems/{GEMM}/{table}.csv" for table in ("boards", "leaders", "records")]
    for entry in (whole, alone):
        assert entry.model is not None
        model = f"/models/{entry.model.slug}"
        found += [f"{model}/{table}.csv" for table in ("map", "newest", "over-turns")]
        found += [f"/entries/{entry.uid}/{table}.csv" for table in ("over-turns", "timed-turns")]
        found += [f"/entries/{entry.uid}/", f"/badges/{entry.uid}/none.svg"]
        found += [f"/badges/{entry.uid}/{board.slug}.svg" for board in Board.objects.all()]
    for turn in open_turns:
        assert turn.kernel is not None
        sha256, run = turn.kernel.sha256, Run.objects.get(kernel=turn.kernel)
        found += [
            f"/kernels/{sha256}/",
            f"/kernels/{sha256}/source",
            f"/api/v1/kernels/{sha256}/source",
            f"/search/?q={sha256[:12]}",
            f"/search/?q={sha256}",
            f"/compare/?kernel={sha256}&kernel={sha256[::-1]}",
            f"/runs/{run.uid}/",
            *(f"/runs/{run.uid}/{table}.csv" for table in ("times", "clocks", "opcodes")),
            f"/kernels/{sha256}/runs.csv",
            f"/runs/{run.uid}/bundle.zip",
            f"/runs/{run.uid}/artifacts/plan",
            f"/runs/{run.uid}/logs/{sha256}",
            f"/api/v1/runs/{run.uid}",
            f"/api/v1/runs/{run.uid}/logs/{sha256}",
            f"/trajectories/{turn.trajectory.uid}/",
            f"/trajectories/{turn.trajectory.uid}/document",
            f"/api/v1/trajectories/{turn.trajectory.uid}/document",
        ]
    return found
