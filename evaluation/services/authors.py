"""The table of models: names that uploads propose, and entries that are accepted under one."""

from datetime import date, datetime

from django.db import IntegrityError, transaction

from evaluation.core.entry_words import Track
from evaluation.core.errors import InvalidInput
from evaluation.models import Entry, Model, ModelAlias, PaperCell
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


def list_model(model: Model, *, at: datetime) -> bool:
    """List a model from this time on, so that its entries can rank; False where it was listed before."""
    return Model.objects.filter(pk=model.pk, accepted_at=None).update(accepted_at=at) == 1


@transaction.atomic
def merge_models(model: Model, into: Model) -> None:
    """Give the names, entries and published values of one model to another, whose own name and dates stay.

    The emptied model is there until ``remove_model``, so that boards can be refreshed in between and never lack a row.
    Raise InvalidInput for one and the same model, and where a publication has the same value of both.
    """
    if model.pk == into.pk:
        raise InvalidInput(where=model.slug, key="", rule="a model cannot be merged into itself")
    Entry.objects.filter(model=model).update(model=into)
    ModelAlias.objects.filter(model=model).update(model=into)
    try:
        with transaction.atomic():
            PaperCell.objects.filter(model=model).update(model=into)
    except IntegrityError:
        rule = f"a publication has values of it and of {into.slug} for the same thing; they are two models there"
        raise InvalidInput(where=model.slug, key="", rule=rule) from None


def remove_model(model: Model) -> bool:
    """Remove a model that has nothing any more; False where something is under it again."""
    empty = Model.objects.filter(pk=model.pk, entries=None, paper_cells=None, aliases=None)
    return empty.delete()[0] > 0
