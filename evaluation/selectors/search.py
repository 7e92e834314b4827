"""Finds entries by words and kernels by the beginning of their hash, among what the viewer may see."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q

from evaluation.core.run_words import HoldState
from evaluation.core.verdict import RunState
from evaluation.models import Entry, Hold, ModelAlias, Run, Turn, Viewer
from evaluation.selectors.entries import EntryHead, entry_head

MOST_FOUND = 25
_LAST_OF_HASH = "g"  # sorts behind every digit of a hash
_TOLD = (RunState.FINISHED, RunState.ABANDONED)


@dataclass(frozen=True, slots=True)
class FoundKernel:
    """One place of a kernel: the problem that it was written for."""

    sha256: str
    problem: str
    target: str


def found_entries(viewer: Viewer, words: Sequence[str], *, at: datetime) -> tuple[EntryHead, ...]:
    """Entries in whose names every word is found, the newest first; one query."""
    found = Entry.objects.visible_to(viewer, at=at)
    for word in words:
        alias = ModelAlias.objects.filter(model=OuterRef("model"), alias__icontains=word)
        found = found.filter(
            Q(model__name__icontains=word)
            | Q(proposed_model__icontains=word)
            | Q(harness__icontains=word)
            | Q(pack__icontains=word)
            | Q(Exists(alias))
            | _uid_begins(word)
        )
    newest = found.select_related("model").order_by("-created_at", "-pk")
    return tuple(entry_head(viewer, one) for one in newest[:MOST_FOUND])


def found_kernels(viewer: Viewer, prefix: str, *, at: datetime) -> tuple[FoundKernel, ...]:
    """Kernels whose SHA-256 begins so, at the places where their page shows them to this viewer; one query.

    ``prefix`` is lower-case hexadecimal.
    """
    turns = Turn.objects.filter(
        kernel__sha256__gte=prefix,
        kernel__sha256__lt=prefix + _LAST_OF_HASH,
        trajectory__entry__in=Entry.objects.visible_to(viewer, at=at).order_by().values("pk"),
    )
    place = {
        "kernel": OuterRef("kernel"),
        "problem": OuterRef("trajectory__problem"),
        "target": OuterRef("trajectory__target"),
    }
    ended = Run.objects.public(at=at).filter(**place, state__in=_TOLD)
    held = Hold.objects.filter(**place, state=HoldState.OPEN)
    if not viewer.staff:
        for_others = Q(missing="") & Exists(ended) & ~Exists(held)
        turns = turns.filter(Q(trajectory__entry__owner__in=viewer.owners) | for_others)
    places = turns.values_list("kernel__sha256", "trajectory__problem", "trajectory__target")
    return tuple(FoundKernel(*one) for one in places.distinct().order_by(*_ORDER)[:MOST_FOUND])


_ORDER = ("kernel__sha256", "trajectory__problem", "trajectory__target")


def _uid_begins(word: str) -> Q:
    is_part_of_uid = len(word) >= 6 and not set(word.lower()) - set("0123456789abcdef-")
    return Q(uid__istartswith=word) if is_part_of_uid else Q(pk=None)
