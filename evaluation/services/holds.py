"""Hold a kernel, clear it, strike it. Every step is one guarded update; what was decided before stays readable."""

from datetime import datetime

from django.db import IntegrityError, transaction

from evaluation.core.errors import InvalidInput
from evaluation.core.run_words import HoldSource, HoldState
from evaluation.core.verdict import Target
from evaluation.models import Hold, Kernel
from evaluation.services.boards import boards_due
from evaluation.services.stored_text import stored

_MOST_WORDS = 1000


def place_hold(
    kernel: Kernel,
    problem: str,
    target: Target,
    *,
    why: str,
    source: HoldSource,
    by: str = "",
    at: datetime,
) -> Hold | None:
    """Hold kernel x problem x target. None where it is held or struck already.

    Also None where a signal says again what a person has cleared: nobody has to clear the same thing twice.
    """
    said = _said(why, "why")
    of = Hold.objects.filter(kernel=kernel, problem=problem, target=target)
    if of.acting().exists():
        return None
    if source is HoldSource.SIGNAL and of.filter(state=HoldState.CLEARED, why=said).exists():
        return None
    try:
        with transaction.atomic():
            boards_due(kernel, at=at)
            return Hold.objects.create(
                kernel=kernel,
                problem=problem,
                target=target,
                placed_at=at,
                placed_by=stored(by, 64),
                why=said,
                source=source,
            )
    except IntegrityError:  # somebody else placed one meanwhile
        return None


def clear_hold(hold: Hold, *, by: str, note: str, at: datetime) -> bool:
    """Let the kernel back on the boards; False where the hold is not open any more."""
    return _decide(hold, HoldState.OPEN, HoldState.CLEARED, by=by, note=note, at=at)


def strike(hold: Hold, *, by: str, note: str, at: datetime) -> bool:
    """Count the kernel as not correct from now on; False where the hold is not open any more."""
    return _decide(hold, HoldState.OPEN, HoldState.STRUCK, by=by, note=note, at=at)


def lift_strike(hold: Hold, *, by: str, note: str, at: datetime) -> bool:
    """Take a strike back; False where there is none. The note of the strike is kept before this one."""
    before = Hold.objects.values_list("note", flat=True).get(pk=hold.pk)
    return _decide(
        hold, HoldState.STRUCK, HoldState.CLEARED, by=by, note=note, at=at, before=before
    )


def _decide(
    hold: Hold,
    of: HoldState,
    to: HoldState,
    *,
    by: str,
    note: str,
    at: datetime,
    before: str = "",
) -> bool:
    if not by:
        raise InvalidInput(where="hold", key="by", rule="is missing; a person decides, by name")
    said = _said(note, "note")
    kept = f"{said}\nBefore: {before}" if before else said
    there = Hold.objects.filter(pk=hold.pk, state=of)
    with transaction.atomic():
        changed = there.update(
            state=to, decided_at=at, decided_by=stored(by, 64), note=stored(kept, _MOST_WORDS)
        )
        if changed == 1:
            boards_due(hold.kernel, at=at)
    return changed == 1


def _said(text: str, key: str) -> str:
    if not text.strip():
        raise InvalidInput(where="hold", key=key, rule="is missing; say why")
    return stored(text.strip(), _MOST_WORDS)
