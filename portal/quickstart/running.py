"""One service as the supervisor has it: its process, how often it ended, when it is due again."""

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from portal.quickstart.processes import end_with
from portal.quickstart.service import Service

_PRIVATE = 0o077


@dataclass(slots=True)
class Running:
    """``due`` is when to start it, in seconds of the supervisor's clock; None while it runs or has done its work."""

    service: Service
    due: float | None = 0.0
    process: "subprocess.Popen[bytes] | None" = None
    started: float = 0.0
    quick_ends: int = 0
    is_ready: bool = False

    def start(self, log: int, *, now: float, folder: Path) -> None:
        """Start its program, which ends with us and has no descriptor of ours; raise OSError."""
        service = self.service
        self.process = subprocess.Popen(  # noqa: S603 - our own command lines
            service.command,
            cwd=folder,
            env=dict(service.environment),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # a Ctrl-C in the terminal is for us, and its group can be signalled
            pass_fds=service.descriptors,
            umask=_PRIVATE if service.private_files else -1,
            preexec_fn=partial(end_with, os.getpid()),  # noqa: PLW1509 - this process has one thread
        )
        self.started, self.due = now, None

    def pid(self) -> int | None:
        """The number of its process while that is there, as a zombie too."""
        return None if self.process is None else self.process.pid

    def exit_code(self) -> int | None:
        """The exit code of a process that ended, negative for a signal; then there is none any more."""
        if self.process is None or (code := self.process.poll()) is None:
            return None
        self.process = None
        return code

    def ask_to_end(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill it and its process group; what left the group comes to the supervisor as an orphan."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
