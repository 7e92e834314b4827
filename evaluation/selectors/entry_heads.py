"""The heads of several entries that somebody may see."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from evaluation.models import Entry, Viewer
from evaluation.selectors.entries import EntryHead, entry_head
from evaluation.selectors.refusal import NotVisible


def entry_heads(viewer: Viewer, uids: Sequence[UUID], *, at: datetime) -> tuple[EntryHead, ...]:
    """In the order that was asked for; one query. Raise NotVisible where one of them is not there for this viewer."""
    found = Entry.objects.visible_to(viewer, at=at).filter(uid__in=uids).select_related("model")
    heads = {one.uid: entry_head(viewer, one) for one in found}
    if not heads.keys() >= set(uids):
        raise NotVisible
    return tuple(heads[uid] for uid in uids)
