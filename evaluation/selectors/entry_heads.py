"""The heads of several entries that somebody may see."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from evaluation.models import Entry, Viewer
from evaluation.selectors.entries import EntryHead, entry_head


def seen_heads(viewer: Viewer, uids: Sequence[UUID], *, at: datetime) -> tuple[EntryHead, ...]:
    """Those that are there for this viewer, each once, in the order that was asked for; one query."""
    found = Entry.objects.visible_to(viewer, at=at).filter(uid__in=uids).select_related("model")
    heads = {one.uid: entry_head(viewer, one) for one in found}
    return tuple(heads[uid] for uid in dict.fromkeys(uids) if uid in heads)
