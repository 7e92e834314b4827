"""One log file a service, for its owner alone and of bounded size."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

_TAIL_BYTES = 16 * 1024
_LINE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class LogFiles:
    """``folder`` holds ``NAME.log`` and what came before it, ``NAME.log.1``, of about ``limit_bytes`` each."""

    folder: Path
    limit_bytes: int = 8 * 1024 * 1024

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def open(self, name: str) -> int:
        """A descriptor to append to; raise OSError. Appending is what makes it safe to empty a file in use."""
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(self.path(name), flags, 0o600)

    def bound(self, name: str) -> None:
        """Put a file that has become too long aside; raise OSError. Lines written in this very moment may be lost."""
        path = self.path(name)
        if not path.exists() or path.stat().st_size <= self.limit_bytes:
            return
        before = path.with_name(f"{path.name}.1")
        before.unlink(missing_ok=True)
        shutil.copy(path, before)
        os.truncate(path, 0)

    def last_lines(self, name: str, count: int) -> tuple[str, ...]:
        """The end of the log, each line cut and printable; none where it cannot be read."""
        try:
            with self.path(name).open("rb") as file:
                file.seek(max(os.fstat(file.fileno()).st_size - _TAIL_BYTES, 0))
                text = file.read(_TAIL_BYTES).decode(errors="replace")
        except OSError:
            return ()
        lines = [line for line in text.splitlines() if line.strip()]
        return tuple(_printable(line) for line in lines[-count:])


def _printable(line: str) -> str:
    """Fit for a terminal: a log may hold what a stranger wrote."""
    return "".join(one if one.isprintable() else " " for one in line[:_LINE_CHARACTERS])
