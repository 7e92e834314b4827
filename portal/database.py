"""The database that one address names, as Django's settings want it."""

from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

# SQLite: a transaction takes the write lock when it starts, or two that read before they write refuse each other.
_SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
# A connection serves the requests that follow: to open one takes longer than to answer who has the page.
_KEPT_SECONDS = 60
_POSTGRES_WORDS = frozenset(
    {"host", "sslmode", "sslrootcert", "connect_timeout", "application_name"}
)


def sqlite(path: Path) -> dict[str, object]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "CONN_MAX_AGE": _KEPT_SECONDS,
        "OPTIONS": dict(_SQLITE_OPTIONS),
    }


def database(url: str) -> dict[str, object]:
    """Read ``sqlite:///PATH`` or ``postgresql://USER:PASSWORD@HOST:PORT/NAME?host=SOCKETS``.

    Raise ValueError that says what is wrong, without the password.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        path = unquote(parts.path)[1:]
        if parts.netloc or not path:
            raise ValueError(
                "a SQLite address is sqlite:///PATH; an absolute path has four slashes"
            )
        return sqlite(Path(path))
    if parts.scheme not in ("postgresql", "postgres"):
        raise ValueError(f"it begins with {parts.scheme[:20]!r}; there are sqlite and postgresql")
    name = unquote(parts.path)[1:]
    if not name:
        raise ValueError("it names no database; the name comes after the host and a slash")
    words = dict(parse_qsl(parts.query, keep_blank_values=True))
    if strange := sorted(words.keys() - _POSTGRES_WORDS):
        raise ValueError(f"it has the option {strange[0][:40]!r}, which is not one of {_POSTGRES}")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": words.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": _port(parts),
        "CONN_MAX_AGE": _KEPT_SECONDS,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": words,
    }


def _port(parts: SplitResult) -> str:
    try:
        return str(parts.port or "")
    except ValueError:
        # Python's own words repeat what stands there, which is a password where its slash was not written as %2F.
        raise ValueError("its port is no number from 0 to 65535") from None


_POSTGRES = ", ".join(sorted(_POSTGRES_WORDS))
