"""The acts of the projection: refresh what an event touched, or rebuild everything. Both end at the same rows."""

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import QuerySet

from evaluation.adapters.catalogue import packaged
from evaluation.core.entry_words import Visibility
from evaluation.core.messages import JUDGE
from evaluation.models import Entry
from leaderboard.models import Board, Standing
from leaderboard.projection import tickets
from leaderboard.projection.batches import Batch, batches
from leaderboard.projection.paper_values import paper_facts
from leaderboard.projection.papers import paper_rows
from leaderboard.projection.past import Scope, Subject
from leaderboard.projection.reading import subjects_of
from leaderboard.projection.rows import problem_rows
from leaderboard.projection.suites import suite_rows
from leaderboard.projection.writing import Written, place_anew, remove_empty, write
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKey, Row

_PAPERS = "papers"
ROWS_AT_ONCE = 40_000  # that are counted and not yet written: some 100 MB
# A refresh of a moment before may have been written since, and have seen the embargo still.
_LOOK_BACK = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Changes:
    """What a refresh did: entries looked at, boards that look different since, rows added and taken away.

    A row that changed counts as both.
    """

    entries: int = 0
    boards: int = 0
    added: int = 0
    removed: int = 0

    def __add__(self, other: "Changes") -> "Changes":
        return Changes(
            self.entries + other.entries,
            self.boards + other.boards,
            self.added + other.added,
            self.removed + other.removed,
        )


def refresh(entries: Iterable[int], *, at: datetime, scope: Scope | None = None) -> Changes:
    """Put entries, by their keys, on the boards as they are at this time, or take them off.

    Call it after the event has been committed: a run that ended, an applied re-judge, a changed visibility, a
    withdrawal, a model that was accepted for the entry. Many refreshes at once end at the newest state.
    """
    scope = scope or packaged_scope()
    done = Changes()
    found: _Found | None = None
    for some in batches(sorted(set(entries))):
        found = found or _Found(tickets.ticket())
        found.count(some, scope, at)
        if found.size >= ROWS_AT_ONCE:
            done += _write(found)
            found = None
    return done + _write(found) if found else done


def refresh_kernels(kernels: Iterable[int], *, at: datetime, scope: Scope | None = None) -> Changes:
    """Refresh all entries with a turn of these kernels: a run of one ended, or a hold was placed, cleared or struck."""
    wanted = sorted(set(kernels))
    found = Entry.objects.filter(trajectory_rows__turns__kernel__in=wanted)
    return refresh(found.values_list("pk", flat=True).distinct(), at=at, scope=scope)


def refresh_models(models: Iterable[int], *, at: datetime) -> Changes:
    """Refresh everything under these models: one was accepted or merged."""
    wanted = sorted(set(models))
    found = Entry.objects.filter(model__in=wanted)
    return refresh(found.values_list("pk", flat=True), at=at) + refresh_papers()


def refresh_papers(*, scope: Scope | None = None) -> Changes:
    """Put the values of publications on their boards, exactly as evaluation has them."""
    number = tickets.ticket()
    rows = list(paper_rows(paper_facts(), scope or packaged_scope()))
    with tickets.locked() as there:
        if not tickets.still_to_write({_PAPERS}, number):
            return Changes()
        owned = Standing.objects.filter(provenance=Provenance.PAPER)
        return _changes(0, write(owned, rows, revision=tickets.step(there)))


def refresh_due(*, at: datetime) -> Changes:
    """Put entries on the boards whose embargo has ended since this was last asked."""
    since = tickets.embargoes_until()
    ended = Entry.objects.filter(visibility=Visibility.EMBARGOED, embargo_until__lte=at)
    if since is not None:
        ended = ended.filter(embargo_until__gt=since - _LOOK_BACK)
    done = refresh(ended.values_list("pk", flat=True), at=at)
    tickets.note_embargoes(at)
    return done


def rebuild(*, at: datetime, scope: Scope | None = None) -> Changes:
    """Make every board from evaluation's rows alone. The boards stay readable and right entry by entry meanwhile."""
    scope = scope or packaged_scope()
    every = Entry.objects.order_by("pk").values_list("pk", flat=True)
    with _no_search_for_cycles():
        done = refresh(every, at=at, scope=scope) + refresh_papers(scope=scope)
    done += _place_all()
    with tickets.locked() as there:
        remove_empty(Board.objects.all(), revision=tickets.step(there))
    tickets.note_embargoes(at)
    return done


def _place_all() -> Changes:
    """Place boards without a changed row, too: where an older version placed them, they stand in its order.

    A refresh waits for one board at most.
    """
    moved = 0
    for board in Board.objects.order_by("pk").values_list("pk", flat=True):
        with tickets.locked() as there:
            moved += place_anew(board, revision=tickets.step(there))
    return Changes(boards=moved)


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Leave the garbage collector off: it would look at hundreds of thousands of facts again and again.

    Nothing that is counted refers to itself, so that all of it goes when nobody refers to it any more.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def packaged_scope() -> Scope:
    return Scope.of(packaged(), JUDGE)


@dataclass(slots=True)
class _Found:
    """What was counted with one ticket and is to be written together: every writing places whole boards anew."""

    ticket: int
    entries: list[int] = field(default_factory=list)
    rows: dict[int, list[tuple[BoardKey, Row]]] = field(default_factory=dict)
    size: int = 0

    def count(self, batch: Batch, scope: Scope, at: datetime) -> None:
        self.entries += batch.entries
        for subjects in subjects_of(batch.countable, scope, at=at):
            rows = _rows_of(subjects, scope)
            self.rows[subjects[0].entry.pk] = rows
            self.size += len(rows)


def _write(found: _Found) -> Changes:
    with tickets.locked() as there:
        names = {f"entry:{pk}": pk for pk in found.entries}
        ours = [names[name] for name in tickets.still_to_write(names, found.ticket)]
        rows = (row for pk in sorted(ours) for row in found.rows.get(pk, ()))
        written = write(_owned(ours), rows, revision=tickets.step(there))
    return _changes(len(found.entries), written)


def _rows_of(subjects: Sequence[Subject], scope: Scope) -> list[tuple[BoardKey, Row]]:
    of_problems = [row for one in subjects for row in problem_rows(one, scope)]
    return [(one.board, one.row) for one in (*of_problems, *suite_rows(of_problems, scope))]


def _owned(entries: Sequence[int]) -> QuerySet[Standing]:
    return Standing.objects.filter(entry__in=entries)


def _changes(entries: int, written: Written) -> Changes:
    return Changes(entries, written.boards, written.added, written.removed)
