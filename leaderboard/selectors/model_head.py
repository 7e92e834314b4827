"""Models as their pages name them, with the public entries under each."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, F, QuerySet
from django.db.models.functions import Lower

from evaluation.models import Entry, Model, ModelAlias
from leaderboard.selectors.list_order import (
    ListOrder,
    Sortable,
    by_name,
    if_known,
    ordering,
    sorted_rows,
)
from leaderboard.selectors.listed_names import is_listed

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
    model = Model.objects.filter(is_listed(), slug=slug).first()
    if model is None:
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


_MODEL_COLUMNS: Mapping[str, Sortable] = {
    "name": Lower("name"),
    "track": F("track"),
    "released": F("released_on"),
    "published": F("published"),
}


def listed_models(
    *, at: datetime, start: int = 0, most: int | None = None, order: ListOrder | None = None
) -> ModelList:
    """Models that have a page, by name or in ``order``; three queries.

    All, or at most ``most`` after the first ``start``. The database sorts every name, which are few beside entries.
    Their numbers of entries are counted once and sorted here: to order by them PostgreSQL counts anew for each name,
    which takes it ten seconds for ten thousand names.
    """
    listed = Model.objects.filter(is_listed()).annotate(published=Count("paper_cells"))
    end = None if most is None else start + most
    if order is not None and order.key == "entries":
        public = _public_entries(Entry.objects.public(at=at))
        keys = sorted_rows(
            listed.order_by(*by_name()).values_list("pk", flat=True),
            order,
            {"entries": lambda key: public.get(key, 0)},
        )
        named = {one.pk: one for one in listed.filter(pk__in=keys[start:end])}
        found = tuple(named[key] for key in keys[start:end] if key in named)
        return ModelList(tuple(_listed(one, public) for one in found), len(keys))
    found = tuple(listed.order_by(*ordering(order, _MODEL_COLUMNS, by_name()))[start:end])
    entries = Entry.objects.public(at=at)
    if most is not None:
        entries = entries.filter(model__in=[one.pk for one in found])
    public = _public_entries(entries)
    models = tuple(_listed(one, public) for one in found)
    return ModelList(models, listed.count() if most is not None else len(models))


def _public_entries(entries: QuerySet[Entry]) -> dict[int | None, int]:
    """How many of these entries each model has, by its key."""
    counted = entries.order_by().values_list("model").annotate(number=Count("pk"))
    return dict(counted.values_list("model", "number"))


def _listed(one: Model, public: Mapping[int | None, int]) -> ListedModel:
    """``one`` is annotated with how many values are published of it."""
    published: int = getattr(one, "published", 0)
    entries = public.get(one.pk, 0)
    return ListedModel(one.slug, one.name, one.track, one.released_on, entries, published)


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
