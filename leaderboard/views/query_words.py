"""Words of an address, each by its rule: a closed list of filters, none of them twice, none too long."""

from collections.abc import Mapping, Sequence

from django.http import QueryDict

from leaderboard.views.answers import WrongQuestion

LONGEST = 80


def given_words(query: QueryDict, keys: Sequence[str]) -> dict[str, str]:
    """The words that are not empty: a form sends a filter that nobody set as an empty one. Raise WrongQuestion."""
    given = {}
    for name, values in query.lists():
        if name not in keys:
            raise WrongQuestion(f"There is no filter “{name[:LONGEST]}”. {listed(keys)}")
        if len(values) > 1:
            raise WrongQuestion(f"The filter “{name}” stands in the address more than once.")
        if len(values[0]) > LONGEST:
            raise WrongQuestion(f"What the filter “{name}” asks for is too long.")
        if values[0]:
            given[name] = values[0]
    return given


def in_order(words: Mapping[str, str], keys: Sequence[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, words[name]) for name in keys if words.get(name))


def word(given: Mapping[str, str], name: str, allowed: Sequence[str]) -> str:
    """Empty where it was not given. Raise WrongQuestion for one that is not allowed."""
    found = given.get(name, "")
    if found and found not in allowed:
        raise WrongQuestion(f"“{found}” is no {name}. {listed(allowed)}")
    return found


def number(given: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    """None where it was not given. Raise WrongQuestion for what is no such number, as Python writes it."""
    found = given.get(name)
    if found is None:
        return None
    if not (found.isascii() and found.isdecimal() and len(found) < 9 and str(int(found)) == found):
        raise WrongQuestion(f"The filter “{name}” takes a whole number, not “{found}”.")
    if not least <= int(found) <= most:
        raise WrongQuestion(f"The filter “{name}” takes a number from {least} to {most}.")
    return int(found)


def listed(words: Sequence[str]) -> str:
    return f"There are: {', '.join(words)}."
