"""Writes the values of a publication: after an import they are exactly what its files say."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass, fields
from datetime import datetime

from django.db import transaction

from evaluation.core.entry_words import PaperMetric, Track
from evaluation.core.errors import InvalidInput
from evaluation.core.quoting import quoted
from evaluation.core.verdict import Target
from evaluation.models import Model, ModelAlias, PaperCell
from evaluation.services.authors import add_model, folded

BATCH_ROWS = 500
LIMIT_SLUG = 80

_NOT_IN_SLUGS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class NewPaperModel:
    """A model by name. A model of ours that has the name or one of the aliases is the same one."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewPaperValue:
    """The fields of PaperCell by its own names; the model is given beside it."""

    target: Target
    device: str
    problem: str
    experiment: str
    main: bool
    metric: PaperMetric
    turn_limit: int
    numerator: int | None
    denominator: int | None
    value: float | None
    evidence: str


@dataclass(frozen=True, slots=True)
class PaperChanges:
    """How many rows an import made and took away; ``kept`` values were there already, equal in every field."""

    models: int
    aliases: int
    added: int
    removed: int
    kept: int

    @property
    def nothing(self) -> bool:
        return not (self.models or self.aliases or self.added or self.removed)


_FIELDS = tuple(field.name for field in fields(NewPaperValue))


@transaction.atomic
def set_paper_values(
    publication: str,
    models: Iterable[NewPaperModel],
    values: Mapping[str, tuple[NewPaperValue, ...]],
    *,
    at: datetime,
) -> PaperChanges:
    """Make the publication's rows equal to ``values`` (model name to its values), in one transaction.

    Values that the publication no longer has are removed. A model that is there keeps its name, date and owner.
    Raise InvalidInput for a model whose names belong to two; nothing is written then.
    """
    models_before, aliases_before = Model.objects.count(), ModelAlias.objects.count()
    own = {model.name: _model(model, at=at).pk for model in models}
    wanted = {(own[name], *astuple(value)) for name, many in values.items() for value in many}
    rows = PaperCell.objects.filter(publication=publication)
    there = {tuple(row): pk for pk, *row in rows.values_list("pk", "model_id", *_FIELDS)}
    # Removed before others are added: a run that stops being the main one makes place for another.
    removed = [pk for row, pk in there.items() if row not in wanted]
    rows.filter(pk__in=removed).delete()
    added = [row for row in wanted if row not in there]
    PaperCell.objects.bulk_create(
        [
            PaperCell(
                publication=publication, model_id=model, **dict(zip(_FIELDS, row, strict=True))
            )
            for model, *row in added
        ],
        batch_size=BATCH_ROWS,
    )
    return PaperChanges(
        models=Model.objects.count() - models_before,
        aliases=ModelAlias.objects.count() - aliases_before,
        added=len(added),
        removed=len(removed),
        kept=len(there) - len(removed),
    )


def _model(new: NewPaperModel, *, at: datetime) -> Model:
    """The model that has one of the names, with all of them from now on; or a new one, accepted."""
    slug = _NOT_IN_SLUGS.sub("-", new.name.casefold()).strip("-")[:LIMIT_SLUG]
    if not slug:
        rule = (
            "has no Latin letter or digit to be addressed by; give it an alias of a model of ours"
        )
        raise InvalidInput(where="models", key=quoted(new.name), rule=rule)
    names = {folded(name) for name in (slug, new.name, *new.aliases)}
    known = Model.objects.filter(aliases__alias__in=names).distinct().order_by("slug")[:2]
    if len(known) == 2:
        rule = f"its names belong to two models, {known[0].slug} and {known[1].slug}; make them one first"
        raise InvalidInput(where="models", key=new.name, rule=rule)
    own = known[0].slug if known else slug
    return add_model(own, new.name, Track.MODEL, aliases=(slug, *new.aliases), accepted_at=at)
