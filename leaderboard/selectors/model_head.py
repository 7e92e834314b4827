"""Models as their pages name them, with the public entries under each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce

from evaluation.models import Entry, Model, ModelAlias, PaperCell
from leaderboard.selectors.list_order import ListOrder, Sortable, if_known, ordering

ENTRIES_A_PAGE = 50
MODELS_A_PAGE = 100


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """A public entry of a model: one configuration."""

    uid: str
    harness: str
    harness_version: str
    pack: str
    language: str
    reasoning_effort: str
    prompts: int
    trajectories: int
    turns: int
    authorship: str
    single_kernel: bool
    created_at: datetime


@dataclass(frozen=True, slots=True)
class ModelHead:
    slug: str
    name: str
    track: str
    released_on: date | None
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntryList:
    """A page of the public entries of a model, of ``total``."""

    entries: tuple[ModelEntry, ...]
    total: int


@dataclass(frozen=True, slots=True)
class ListedModel:
    """``entries`` are the public ones, ``published`` the values that publications have of it."""

    slug: str
    name: str
    track: str
    released_on: date | None
    entries: int
    published: int


@dataclass(frozen=True, slots=True)
class ModelList:
    """A page of the models, of ``total``."""

    models: tuple[ListedModel, ...]
    total: int


def model_head(slug: str) -> ModelHead | None:
    """A model that was accepted or published; None where there is none such."""
    model = Model.objects.filter(slug=slug).first()
    if model is None:
        return None
    if model.accepted_at is None and not PaperCell.objects.filter(model=model).exists():
        return None
    return ModelHead(
        slug=model.slug,
        name=model.name,
        track=model.track,
        released_on=model.released_on,
        aliases=tuple(model.aliases.order_by("alias").values_list("alias", flat=True)),
    )


_ENTRY_COLUMNS: Mapping[str, Sortable] = {
    "harness": if_known("harness"),
    "pack": if_known("pack"),
    "effort": if_known("reasoning_effort"),
    "language": F("language"),
    "author": F("authorship"),
    "created": F("created_at"),
    "prompts": F("prompts"),
    "trajectories": F("trajectories"),
    "turns": F("turns"),
}


def model_entries(
    slug: str,
    *,
    at: datetime,
    start: int = 0,
    most: int,
    order: ListOrder | None = None,
) -> EntryList:
    """At most ``most`` public entries after the first ``start``, the newest first or in ``order``; two queries.

    The database sorts those of the one model, which an index finds.
    """
    whole = Entry.objects.public(at=at).filter(model__slug=slug)
    found = whole.order_by(*ordering(order, _ENTRY_COLUMNS, ("-created_at", "-pk")))
    return EntryList(tuple(_entry(one) for one in found[start : start + most]), found.count())


def slug_by_alias(alias: str) -> str:
    """The slug of another model that has this name, as after a merge; empty where none that has a page does."""
    named = ModelAlias.objects.filter(alias=alias.casefold()).exclude(model__slug=alias)
    slug = named.values_list("model__slug", flat=True).first()
    return slug if slug and model_head(slug) else ""


def listed_models(
    *, at: datetime, start: int = 0, most: int | None = None, order: ListOrder | None = None
) -> ModelList:
    """Models that have a page, by name or in ``order``; three queries.

    All, or at most ``most`` after the first ``start``. The database sorts every name, which are few beside entries;
    by the number of entries it counts those of each name in an index first.
    """
    listed = Model.objects.annotate(published=Count("paper_cells")).filter(
        Q(accepted_at__isnull=False) | Q(published__gt=0)
    )
    columns: dict[str, Sortable] = {
        "name": F("name"),
        "track": F("track"),
        "released": F("released_on"),
        "entries": _public_entries(at),
        "published": F("published"),
    }
    end = None if most is None else start + most
    found = tuple(listed.order_by(*ordering(order, columns, ("name", "slug")))[start:end])
    entries = Entry.objects.public(at=at).order_by()
    if most is not None:
        entries = entries.filter(model__in=[one.pk for one in found])
    public = dict(
        entries.values_list("model").annotate(number=Count("pk")).values_list("model", "number")
    )
    models = tuple(
        ListedModel(
            one.slug, one.name, one.track, one.released_on, public.get(one.pk, 0), one.published
        )
        for one in found
    )
    return ModelList(models, listed.count() if most is not None else len(models))


def _public_entries(at: datetime) -> Coalesce:
    """How many public entries a model has."""
    there = Entry.objects.public(at=at).filter(model=OuterRef("pk")).order_by().values("model")
    return Coalesce(Subquery(there.annotate(number=Count("pk")).values("number")), Value(0))


def _entry(one: Entry) -> ModelEntry:
    return ModelEntry(
        uid=str(one.uid),
        harness=one.harness,
        harness_version=one.harness_version,
        pack=one.pack,
        language=one.language,
        reasoning_effort=one.reasoning_effort,
        prompts=one.prompts,
        trajectories=one.trajectories,
        turns=one.turns,
        authorship=one.authorship,
        single_kernel=one.single_kernel,
        created_at=one.created_at,
    )
