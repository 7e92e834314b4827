"""Typed reading of what others wrote: a value of another type is absent and becomes a named problem."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from evaluation.core.quoting import quoted
from portal.uploads.importers.records import LIMIT_NAME_CHARACTERS, NamedProblem, Trouble
from portal.uploads.reading.json_stream import Json
from portal.uploads.reading.scrub import scrub

_LARGEST_COUNT = 2**31 - 1
_LARGEST_AMOUNT = 1e12
_FIRST_MOMENT = 946_684_800  # 2000-01-01; nothing we read is older
_LAST_MOMENT = 4_102_444_800  # 2100-01-01
LIMIT_PROBLEMS = 50


@dataclass(slots=True)
class Problems:
    """Collects the named problems of one turn or document; each once, and no more than ``LIMIT_PROBLEMS``."""

    found: list[NamedProblem] = field(default_factory=list)

    def add(self, kind: Trouble, sentence: str, where: str) -> None:
        problem = NamedProblem(kind, sentence, where)
        if len(self.found) < LIMIT_PROBLEMS and problem not in self.found:
            self.found.append(problem)

    def all(self) -> tuple[NamedProblem, ...]:
        return tuple(self.found)


@dataclass(frozen=True, slots=True)
class Fields:
    """A value and where it stands. Null counts as absent, and what is on the way to a field may be absent too."""

    value: Json
    where: str
    problems: Problems

    def child(self, *path: str) -> "Fields":
        return Fields(self._at(path), f"{self.where}.{'.'.join(path)}", self.problems)

    def children(self, *path: str) -> "tuple[Fields, ...]":
        found = self._at(path)
        if not isinstance(found, list):
            self._broken(path, found, "a list")
            return ()
        place = f"{self.where}.{'.'.join(path)}" if path else self.where
        return tuple(Fields(one, f"{place}[{n}]", self.problems) for n, one in enumerate(found))

    def present(self, *path: str) -> bool:
        return self._at(path) is not None

    def text(self, *path: str) -> str:
        """Take text of any length as it is: not scrubbed, so not to be stored."""
        found = self._at(path)
        if isinstance(found, str):
            return found
        self._broken(path, found, "text")
        return ""

    def name(self, *path: str, limit: int = LIMIT_NAME_CHARACTERS) -> str:
        """Take one printable line, scrubbed and cut to ``limit`` characters; empty where there is none."""
        return shown(self.text(*path), limit)

    def flag(self, *path: str) -> bool | None:
        found = self._at(path)
        if isinstance(found, bool):
            return found
        self._broken(path, found, "true or false")
        return None

    def count(self, *path: str) -> int | None:
        found = self._at(path)
        if type(found) is int and 0 <= found <= _LARGEST_COUNT:
            return found
        self._broken(path, found, f"a whole number from 0 to {_LARGEST_COUNT}")
        return None

    def amount(self, *path: str) -> float | None:
        """Take a finite number that is not negative."""
        found = self._at(path)
        is_number = type(found) is int or type(found) is float
        if is_number and isinstance(found, int | float) and 0 <= found <= _LARGEST_AMOUNT:
            return float(found)
        self._broken(path, found, "a number that is not negative")
        return None

    def moment(self, *path: str) -> datetime | None:
        """Take seconds since 1970 or an ISO date and time; one without a zone is in UTC."""
        found = self._at(path)
        at = _moment(found)
        if at is None:
            self._broken(path, found, "a moment between 2000 and 2100")
        return at

    def _at(self, path: tuple[str, ...]) -> Json:
        value = self.value
        for level, key in enumerate(path):
            if not isinstance(value, dict):
                self._broken(path[:level], value, "an object")
                return None
            value = value.get(key)
        return value

    def _broken(self, path: tuple[str, ...], found: Json, wanted: str) -> None:
        if found is not None:
            place = ".".join(path) or "the value"
            self.problems.add(Trouble.BROKEN_FIELD, f"{place} is not {wanted}", self.where)


def shown(text: str, limit: int = LIMIT_NAME_CHARACTERS) -> str:
    """Scrub text and make one printable line of at most ``limit`` characters of it."""
    line = " ".join(scrub(text[: 8 * limit]).text.split())
    return "".join(character for character in line if character.isprintable())[:limit]


def quoted_name(name: str) -> str:
    """Put a stranger's name into a sentence: scrubbed, escaped, short."""
    return quoted(shown(name), limit=80)


def _moment(found: Json) -> datetime | None:
    try:
        if type(found) is int or type(found) is float:
            at = datetime.fromtimestamp(float(str(found)), UTC)
        elif isinstance(found, str) and len(found) <= 40:
            at = datetime.fromisoformat(found)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
        else:
            return None
        seconds = at.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
    return at.astimezone(UTC) if _FIRST_MOMENT <= seconds < _LAST_MOMENT else None
