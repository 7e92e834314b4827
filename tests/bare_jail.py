"""A Jail without walls, for tools around code that we trust: what a command has bound or brought lies where it lies.

Places inside the jail are translated in the words of the command line. Tests use it where a host cannot jail, and to
run our own scripts against doubles of the tools.
"""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from evaluation.core.ports import Captured, JailCommand, JailResult

OUTPUT_BYTES = 1 << 26


@dataclass(frozen=True)
class BareJail:
    """``seconds`` shortens the wall limit of every command."""

    folder: Path
    seconds: float = 300.0

    def run(self, command: JailCommand) -> JailResult:
        places = {one.destination: str(one.source) for one in command.binds}
        for number, file in enumerate(command.files):
            path = self.folder / f"file-{number}"
            path.write_bytes(file.content)
            places[file.destination] = str(path)
        argv = [_translated(word, places) for word in command.argv]
        paths = [self.folder / f"output-{one.fd}" for one in command.outputs]
        timed_out, code, began = False, None, time.monotonic()
        redirected = " ".join(
            f"{one.fd}>{path}" for one, path in zip(command.outputs, paths, strict=True)
        )
        process = subprocess.Popen(
            ["/usr/bin/bash", "-c", f'exec "$@" {redirected}', "bare", *argv],
            env={**os.environ, **dict(command.environment)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(
                timeout=min(self.seconds, command.limits.wall_seconds)
            )
            code = process.returncode
        except subprocess.TimeoutExpired:
            timed_out = True
            os.killpg(process.pid, 9)
            stdout, stderr = process.communicate()
        return JailResult(
            exit_code=code,
            signal=None,
            timed_out=timed_out,
            cpu_exhausted=False,
            memory_exhausted=False,
            stdout=Captured(stdout),
            stderr=Captured(stderr),
            outputs={
                one.name: _captured(path, one.limit_bytes)
                for one, path in zip(command.outputs, paths, strict=True)
            },
            seconds=time.monotonic() - began,
        )


def _captured(path: Path, limit: int) -> Captured:
    content = path.read_bytes() if path.exists() else b""
    return Captured(content[:limit], max(len(content) - limit, 0))


def _translated(word: str, places: dict[str, str]) -> str:
    for inside, outside in places.items():
        if word == inside or word.startswith(f"{inside}/"):
            return outside + word.removeprefix(inside)
    return word
