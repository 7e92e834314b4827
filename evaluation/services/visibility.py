"""Who may see an entry: make it public, embargo it, withdraw it."""

from datetime import datetime

from evaluation.core.entry_words import Visibility
from evaluation.core.errors import InvalidInput
from evaluation.models import Entry
from evaluation.services.stored_text import stored


def set_visibility(
    entry: Entry, visibility: Visibility, *, embargo_until: datetime | None = None
) -> bool:
    """Show or hide an entry; False where it was withdrawn. Raise InvalidInput for an embargo without its date."""
    if (visibility is Visibility.EMBARGOED) is not (embargo_until is not None):
        rule = "is given exactly when the entry is embargoed"
        raise InvalidInput(where="entry", key="embargo_until", rule=rule)
    there = Entry.objects.filter(pk=entry.pk, withdrawn_at=None)
    return there.update(visibility=visibility, embargo_until=embargo_until) == 1


def withdraw(entry: Entry, *, reason: str, at: datetime) -> bool:
    """Take an entry off every board for good; a tombstone stays. False where that was done before."""
    if not reason.strip():
        raise InvalidInput(where="entry", key="reason", rule="is missing; say why it is withdrawn")
    there = Entry.objects.filter(pk=entry.pk, withdrawn_at=None)
    return there.update(withdrawn_at=at, withdrawn_reason=stored(reason.strip(), 500)) == 1
