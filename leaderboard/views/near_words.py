"""Which of some names a wrong word may have meant."""

from collections.abc import Sequence
from difflib import get_close_matches

from leaderboard.selectors.comparable import Comparable

MOST_NEAR = 5
LONGEST_MEANT = 80
_LEAST_ALIKE = 0.6  # of the letters, as difflib counts them


def near(word: str, known: Sequence[Comparable]) -> tuple[Comparable, ...]:
    """At most MOST_NEAR: those that have the word in them first, then those that are written much alike."""
    meant = word.casefold()[:LONGEST_MEANT]
    has_it = [one for one in known if meant and (meant in one.key or meant in one.name.casefold())]
    written: dict[str, Comparable] = {}
    for one in known:
        for text in (one.key, one.name.casefold()[:LONGEST_MEANT]):
            written.setdefault(text, one)
    alike = get_close_matches(meant, written, n=MOST_NEAR, cutoff=_LEAST_ALIKE)
    return tuple(dict.fromkeys([*has_it, *(written[one] for one in alike)]))[:MOST_NEAR]
