"""The search page: models, entries and problems by words, kernels by the beginning of their hash."""

import re

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from evaluation.core.catalogue.problem import Problem
from evaluation.selectors.search import MOST_FOUND, found_entries, found_kernels
from leaderboard.selectors.searched_models import found_models
from leaderboard.views.answers import page, refused
from leaderboard.views.site import Site

LONGEST_QUESTION = 100
MOST_WORDS = 6
SHORTEST_HASH = 6
_HASH = re.compile(rf"[0-9a-f]{{{SHORTEST_HASH},64}}")


@require_safe
def search(request: HttpRequest, *, site: Site) -> HttpResponse:
    """Without words it is the form alone."""
    question = " ".join(request.GET.get("q", "").replace("\0", " ").split())
    if len(question) > LONGEST_QUESTION:
        return refused(request, f"A search takes up to {LONGEST_QUESTION} characters.")
    words = question.split()
    if len(words) > MOST_WORDS:
        return refused(request, f"A search takes up to {MOST_WORDS} words.")
    context = {"question": question, "most": MOST_FOUND, "longest": LONGEST_QUESTION}
    if not words:
        return page(request, "leaderboard/search.html", context)
    viewer, now = site.viewer_of(request), timezone.now()
    is_hash = len(words) == 1 and _HASH.fullmatch(words[0].lower())
    context |= {
        "problems": [one for one in site.problems if _is_named(one, words)],
        "models": found_models(words),
        "entries": found_entries(viewer, words, at=now),
        "kernels": found_kernels(viewer, words[0].lower(), at=now) if is_hash else (),
    }
    return page(request, "leaderboard/search.html", context)


def _is_named(problem: Problem, words: list[str]) -> bool:
    names = f"{problem.name} {problem.title} {problem.suite} {problem.workload}".casefold()
    return all(word.casefold() in names for word in words)
