"""Demo logins with random passwords, made once and kept in a file for its owner alone."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.workspace import write_atomically
from portal.quickstart.state_folder import Unusable

_PASSWORD_BYTES = 12
_FILE_BYTES = 4096
_ROLES = ("author", "staff")


@dataclass(frozen=True, slots=True)
class Login:
    """``role`` is author or staff."""

    role: str
    email: str
    password: str


def fresh() -> tuple[Login, ...]:
    """One login a role, with a password that nobody has seen."""
    return tuple(
        Login(role, f"{role}@example.org", secrets.token_urlsafe(_PASSWORD_BYTES))
        for role in _ROLES
    )


def write(path: Path, logins: tuple[Login, ...]) -> None:
    """Put them in the file, whole, for its owner alone."""
    lines = (f"{one.role} {one.email} {one.password}\n" for one in logins)
    write_atomically(path, "".join(lines).encode())


def read(path: Path) -> tuple[Login, ...] | None:
    """What the file holds; None where there is none. Raise Unusable where it is something else."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)) as file:
            lines = [line.split() for line in file.read(_FILE_BYTES).splitlines()]
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(f"cannot read the demo logins in {path}: {error}") from error
    if [words[0] for words in lines if len(words) == 3] != list(_ROLES) or len(lines) != 2:
        raise Unusable(f"{path} does not hold the demo logins; remove it and new ones are made")
    return tuple(Login(*words) for words in lines)
