"""Models as their pages name them, with the public entries under each."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db.models import Count, Q

from evaluation.models import Entry, Model, ModelAlias, PaperCell

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


def model_entries(
    slug: str, *, at: datetime, start: int = 0, most: int = ENTRIES_A_PAGE
) -> EntryList:
    """At most ``most`` public entries after the first ``start``, the newest first; two queries."""
    found = Entry.objects.public(at=at).filter(model__slug=slug).order_by("-created_at", "-pk")
    return EntryList(tuple(_entry(one) for one in found[start : start + most]), found.count())


def slug_by_alias(alias: str) -> str:
    """The slug of another model that has this name, as after a merge; empty where none that has a page does."""
    named = ModelAlias.objects.filter(alias=alias.casefold()).exclude(model__slug=alias)
    slug = named.values_list("model__slug", flat=True).first()
    return slug if slug and model_head(slug) else ""


def listed_models(*, at: datetime, start: int = 0, most: int | None = None) -> ModelList:
    """Models that have a page, by name: all, or at most ``most`` after the first ``start``; three queries."""
    listed = Model.objects.annotate(published=Count("paper_cells")).filter(
        Q(accepted_at__isnull=False) | Q(published__gt=0)
    )
    end = None if most is None else start + most
    found = tuple(listed.order_by("name", "slug")[start:end])
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
