"""The table of models: names that uploads propose, and entries that are accepted under one."""

from datetime import date, datetime

from django.db import transaction

from evaluation.core.entry_words import Track
from evaluation.models import Entry, Model, ModelAlias
from evaluation.services.stored_text import stored


def folded(name: str) -> str:
    """A model's name as aliases are kept: casefolded, without space at its ends."""
    return stored(name.strip().casefold(), 200)


def model_named(name: str) -> Model | None:
    """The model that has this name, or None. A name is a proposal: it accepts nothing."""
    return Model.objects.filter(aliases__alias=folded(name)).first()


@transaction.atomic
def add_model(
    slug: str,
    name: str,
    track: Track,
    *,
    aliases: tuple[str, ...] = (),
    released_on: date | None = None,
    owner: str = "",
    accepted_at: datetime | None = None,
) -> Model:
    """Store a model once, by its slug; its slug and name are aliases too. An alias of another model stays theirs."""
    model, _ = Model.objects.get_or_create(
        slug=slug,
        defaults={
            "name": stored(name, 120),
            "track": track,
            "released_on": released_on,
            "owner": owner,
            "accepted_at": accepted_at,
        },
    )
    words = {folded(alias) for alias in (slug, name, *aliases)} - {""}
    ModelAlias.objects.bulk_create(
        [ModelAlias(model=model, alias=word) for word in sorted(words)], ignore_conflicts=True
    )
    return model


def accept_model(entry: Entry, model: Model) -> bool:
    """Put an entry under a model, from when on it can rank; False where it has one."""
    return Entry.objects.filter(pk=entry.pk, model=None).update(model=model) == 1
