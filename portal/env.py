"""What the environment says, read once and whole: every problem is named, and a name nobody knows refuses the start."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evaluation import queues
from evaluation.adapters.workspace import default_home
from portal.database import database, sqlite
from portal.mail import MailServer, mail_server

Value = TypeVar("Value")

PREFIX = "PTXBOARD_"
# Read by other programs that may be started from the same environment.
_OF_OTHERS = frozenset(
    {
        "PTXBOARD_HOME",
        "PTXBOARD_DEVICE",
        "PTXBOARD_GPU",
        "PTXBOARD_GPU_PACK",
        "PTXBOARD_GPU_REPORTS",
    }
)
_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_KEY_CHARACTERS = 32


class WrongEnvironment(Exception):
    """The site cannot start from this environment; the text names every problem."""


@dataclass(frozen=True, slots=True)
class Environment:
    """Settings that differ between installations. Docs: docs/operations.md."""

    home: Path
    debug: bool
    secret_key: str  # empty: the one in the file, which is made where it is missing
    secret_key_file: Path
    database: dict[str, object]
    broker_url: str
    queue: str  # which of the site's two queues a worker process takes from
    allowed_hosts: tuple[str, ...]
    trusted_origins: tuple[str, ...]
    https: bool  # visitors come by HTTPS alone, if through a proxy
    proxies: int  # how many proxies of ours write the forwarded-for header
    pages_kept: int  # by each process of the web server, for visitors who have not signed in
    sign_up: bool  # whether visitors may make accounts themselves
    mail: MailServer | None  # without one no mail is sent and no address verified
    mail_from: str
    github: tuple[str, str] | None  # id and secret of an OAuth app


def this_environment() -> Environment:
    """Read the environment of this process. Raise WrongEnvironment that lists everything that is wrong."""
    return read_environment(os.environ, uid=os.geteuid())


class _Reader:
    """Reads variables of one mapping and keeps count of those that were asked for and those that were wrong."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self.known = set(_OF_OTHERS)
        self.problems: list[str] = []

    def read(self, name: str, parse: Callable[[str], Value], default: Value) -> Value:
        """What ``parse`` makes of the variable, whose ValueError is a problem; the default where nothing is set."""
        name = PREFIX + name
        self.known.add(name)
        word = self._variables.get(name, "")
        if not word:
            return default
        try:
            return parse(word)
        except ValueError as wrong:
            self.problems.append(f"{name}: {wrong}")
            return default

    def strangers(self) -> list[str]:
        return sorted(
            name for name in self._variables if name.startswith(PREFIX) and name not in self.known
        )


def read_environment(variables: Mapping[str, str], *, uid: int) -> Environment:
    """Read ``PTXBOARD_*``. Raise WrongEnvironment that lists everything that is wrong."""
    reader = _Reader(variables)
    home = default_home(variables, uid=uid)
    debug = reader.read("DEBUG", _boolean, default=False)
    found = Environment(
        home=home,
        debug=debug,
        secret_key=reader.read("SECRET_KEY", _secret, ""),
        secret_key_file=reader.read("SECRET_KEY_FILE", Path, home / "secret-key"),
        database=reader.read("DATABASE_URL", database, sqlite(home / "ptxboard.sqlite3")),
        broker_url=reader.read("BROKER_URL", str, "redis://127.0.0.1:6379/0"),
        queue=reader.read("QUEUE", _queue, queues.PORTAL),
        allowed_hosts=reader.read("ALLOWED_HOSTS", _words, ("127.0.0.1", "localhost", "[::1]")),
        trusted_origins=reader.read("TRUSTED_ORIGINS", _origins, ()),
        https=reader.read("HTTPS", _boolean, default=False),
        proxies=reader.read("PROXIES", _count, 0),
        pages_kept=reader.read("PAGES_KEPT", _pages, 200),
        sign_up=reader.read("SIGN_UP", _boolean, default=True),
        mail=reader.read("MAIL_URL", mail_server, None),
        mail_from=reader.read("MAIL_FROM", str, "ptxboard@localhost"),
        github=_pair(reader, "GITHUB_ID", "GITHUB_SECRET"),
    )
    problems = reader.problems + [
        f"{name}: there is no such setting" for name in reader.strangers()
    ]
    if problems:
        lines = "\n".join(f"  {line}" for line in problems)
        raise WrongEnvironment(f"the environment is wrong; mend or unset:\n{lines}")
    return found


def _pair(reader: _Reader, first: str, second: str) -> tuple[str, str] | None:
    one, other = reader.read(first, str, ""), reader.read(second, str, "")
    if bool(one) != bool(other):
        missing, there = (second, first) if one else (first, second)
        reader.problems.append(f"{PREFIX}{missing}: missing, while {PREFIX}{there} is set")
    return (one, other) if one and other else None


def _boolean(word: str) -> bool:
    if word.lower() not in _TRUE | _FALSE:
        raise ValueError(f"{word[:40]!r} is neither true nor false")
    return word.lower() in _TRUE


def _queue(word: str) -> str:
    if word not in queues.PORTAL_ROLES:
        raise ValueError(f"{word[:40]!r} is none of {', '.join(queues.PORTAL_ROLES)}")
    return word


def _count(word: str) -> int:
    if not (word.isdecimal() and word.isascii() and len(word) <= 2):
        raise ValueError(f"{word[:40]!r} is not a number from 0 to 99")
    return int(word)


def _pages(word: str) -> int:
    if not (word.isdecimal() and word.isascii() and len(word) <= 4):
        raise ValueError(f"{word[:40]!r} is not a number from 0 to 9999")
    return int(word)


def _words(word: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in word.split(",") if part.strip())


def _origins(word: str) -> tuple[str, ...]:
    origins = _words(word)
    for origin in origins:
        if not origin.startswith(("http://", "https://")):
            raise ValueError(f"{origin[:80]!r} does not begin with http:// or https://")
    return origins


def _secret(word: str) -> str:
    if len(word) < _KEY_CHARACTERS:
        raise ValueError(f"it has {len(word)} characters; a key has {_KEY_CHARACTERS} or more")
    return word
