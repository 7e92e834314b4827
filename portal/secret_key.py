"""The key that signs sessions, where nobody gave one: made once and kept beside the database."""

import os
import secrets
from pathlib import Path

_BYTES = 48


def kept_key(path: Path) -> str:
    """Read the key in ``path``, which is made for its owner alone where it is missing.

    Raise OSError where that cannot be, ValueError where the file holds no key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _make(path)
    key = path.read_text(encoding="ascii").strip()
    if len(key) < _BYTES:
        raise ValueError(f"{path} holds no key; remove it and start again")
    return key


def _make(path: Path) -> None:
    """Two starts at once agree on one key: it appears under its name whole, and the first one wins."""
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(file, "w", encoding="ascii") as out:
            out.write(f"{secrets.token_urlsafe(_BYTES)}\n")
        os.link(fresh, path)
    except FileExistsError:
        return
    finally:
        fresh.unlink()
