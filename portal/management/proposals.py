"""Entries that wait for a model, as lines of a table, for staff on the command line."""

from collections.abc import Iterator

from evaluation.core.quoting import on_one_line
from evaluation.models import Entry
from evaluation.services import model_named

MOST_ENTRIES_SHOWN = 200
_LINE = "{:36}  {:10}  {:20}  {}"


def proposal_lines() -> Iterator[str]:
    """A head and one line an entry, the oldest first: its uid, who sees it, the model of that name, the name."""
    yield _LINE.format("entry", "seen by", "model of that name", "proposed")
    waiting = Entry.objects.filter(model=None, withdrawn_at=None).order_by("created_at", "pk")
    for one in waiting[:MOST_ENTRIES_SHOWN]:
        named = model_named(one.proposed_model)
        yield _LINE.format(
            str(one.uid),
            one.visibility,
            named.slug if named else "-",
            on_one_line(one.proposed_model),
        )
