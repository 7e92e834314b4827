"""Keeps writers of standings apart without making them wait for each other's reading and counting.

A refresh takes a ticket, then reads and counts without a lock, then writes under the lock. Whoever writes a subject
that was written with a later ticket leaves it: the later one began to read after this one had its ticket, and so saw
all that this one was asked to put on the boards.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction

from leaderboard.models import Projected, Tickets

_ONLY = 1


def ticket() -> int:
    """Take the next ticket; everything committed by now is seen by what is read after it."""
    with locked() as book:
        return step(book)


@contextmanager
def locked() -> Iterator[Tickets]:
    """Lock the one row until the transaction ends. SQLite begins every transaction with the lock of the whole file."""
    with transaction.atomic():
        Tickets.objects.get_or_create(pk=_ONLY)
        yield Tickets.objects.select_for_update().get(pk=_ONLY)


def step(book: Tickets) -> int:
    """Take the next number of the row that is locked."""
    book.number += 1
    book.save(update_fields=["number"])
    return book.number


def note_boards_gone(number: int) -> None:
    """Say that the change of this number took a board away. Call it under the lock."""
    Tickets.objects.filter(pk=_ONLY).update(boards_gone=number)


def still_to_write(subjects: Iterable[str], number: int) -> frozenset[str]:
    """Mark the subjects as written with this ticket, and give those that no later one was written with."""
    wanted = set(subjects)
    there = dict(Projected.objects.filter(subject__in=wanted).values_list("subject", "ticket"))
    taken = {name for name in wanted if there.get(name, 0) <= number}
    Projected.objects.bulk_create(
        [Projected(subject=name, ticket=number) for name in sorted(taken)],
        update_conflicts=True,
        unique_fields=["subject"],
        update_fields=["ticket"],
    )
    return frozenset(taken)


def embargoes_until() -> datetime | None:
    return Tickets.objects.filter(pk=_ONLY).values_list("embargoes_until", flat=True).first()


def note_embargoes(until: datetime) -> None:
    """Say that embargoes until then are in effect; an earlier time than before is left out."""
    with locked() as book:
        if book.embargoes_until is None or book.embargoes_until < until:
            book.embargoes_until = until
            book.save(update_fields=["embargoes_until"])
