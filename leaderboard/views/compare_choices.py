"""What a visitor can choose from who compares: lists for the fields of the form, and what was near a wrong word."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils import timezone

from evaluation.selectors.search import found_entries, found_kernels
from leaderboard.selectors.comparable import (
    Comparable,
    entries_beside,
    kernels_beside,
    models_with_values,
)
from leaderboard.selectors.searched_models import found_models
from leaderboard.views.compare_question import MOST_COMPARED, Compared, Comparison
from leaderboard.views.near_words import MOST_NEAR, near
from leaderboard.views.site import Site

MOST_WORDS = 8
_BEGINS_A_HASH = re.compile(r"[0-9a-f]{6,64}")


@dataclass(frozen=True, slots=True)
class Near:
    """Something that was near; ``address`` compares it with the others that were named."""

    one: Comparable
    address: str


def choices(asked: Comparison, *, problems: Collection[str] = ()) -> tuple[Comparable, ...]:
    """What can be added, none that is there already; at most one query. ``problems`` are those of the kernels there.

    All of it is public, whoever asks.
    """
    if len(asked.keys) >= MOST_COMPARED:
        return ()
    if asked.kind is Compared.ENTRY:
        found = entries_beside(asked.uids, at=timezone.now()) if asked.keys else ()
    elif asked.kind is Compared.KERNEL:
        found = kernels_beside(problems, at=timezone.now()) if problems else ()
    else:
        found = models_with_values()
    return tuple(one for one in found if one.key not in asked.keys)


def nearest(
    request: HttpRequest, word: str, others: Comparison, offered: Collection[Comparable], site: Site
) -> tuple[Near, ...]:
    """At most MOST_NEAR that this visitor may see; at most two queries. ``offered`` are the choices of the form."""
    viewer, at = site.viewer_of(request), timezone.now()
    parts = word.split()[:MOST_WORDS]
    found = list(near(word, tuple(offered)))
    if others.kind is Compared.MODEL:
        found += [Comparable(one.slug, one.name, one.track) for one in found_models(parts)]
    elif others.kind is Compared.ENTRY:
        found += [
            Comparable(one.uid, one.model_name or one.proposed_model, one.harness)
            for one in found_entries(viewer, parts, at=at)
        ]
    elif _BEGINS_A_HASH.fullmatch(word.lower()):
        found += [
            Comparable(one.sha256, one.sha256[:12], one.problem)
            for one in found_kernels(viewer, word.lower(), at=at)
        ]
    first = {one.key: one for one in reversed(found) if one.key not in others.keys}
    ordered = [first[key] for key in dict.fromkeys(one.key for one in found) if key in first]
    return tuple(Near(one, others.of(*others.keys, one.key)) for one in ordered[:MOST_NEAR])
