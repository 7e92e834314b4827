"""Finds listed models by words."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from evaluation.models import Model, ModelAlias
from leaderboard.selectors.list_order import by_name
from leaderboard.selectors.listed_names import is_listed

MOST_FOUND = 25


@dataclass(frozen=True, slots=True)
class FoundModel:
    slug: str
    name: str
    track: str


def found_models(words: Sequence[str]) -> tuple[FoundModel, ...]:
    """Models that have a page and in whose names every word is found, by name; one query.

    Parts of words are found, on every database alike: full-text search would take “gpt-5.2” for “gpt” and “-5.2”.
    """
    found = Model.objects.filter(is_listed())
    for word in words:
        alias = ModelAlias.objects.filter(model=OuterRef("pk"), alias__icontains=word)
        found = found.filter(Q(name__icontains=word) | Q(slug__icontains=word) | Q(Exists(alias)))
    rows = found.order_by(*by_name()).values_list("slug", "name", "track")
    return tuple(FoundModel(*one) for one in rows[:MOST_FOUND])


def named_models(slugs: Sequence[str]) -> tuple[FoundModel, ...]:
    """Models with these slugs that have a page, in the order that was asked for; one query."""
    rows = Model.objects.filter(is_listed(), slug__in=slugs).values_list("slug", "name", "track")
    named = {row[0]: FoundModel(*row) for row in rows}
    return tuple(named[slug] for slug in slugs if slug in named)
