"""What running a tool of NVIDIA's around our own replay has in common: where it runs, its limits, why it may not serve.

The command that is wrapped is one that could run in a jail by itself. The tool's folder is shown to the jail, and what
comes back comes over one pipe. A tool that cannot serve leaves a finding unknown and blocks no other (rule I11).
"""

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final

from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.ports import Bind, JailCommand, JailFile, JailResult, Limits, Output
from evaluation.core.quoting import quoted

WALL_SECONDS: Final = 60.0
NOT_PERMITTED: Final = 77  # our scripts' own exit codes
NO_REPORT: Final = 78
WORDS_BYTES: Final = 400  # of what a tool said before it failed, for an operator
_LIMITS: Final = Limits(
    wall_seconds=WALL_SECONDS,
    cpu_seconds=60,
    memory_bytes=16 << 30,
    file_bytes=1 << 30,
    scratch_bytes=1 << 30,  # a report, and what the tool unpacks
    processes=256,
    open_files=1024,
    stdout_bytes=4096,
    stderr_bytes=4096,
)


def wrapped(
    command: JailCommand, tool: Bind, script: bytes, arguments: tuple[str, ...], output: Output
) -> JailCommand:
    """The command with ``script`` around it, which gets ``arguments`` and then the command's own argv."""
    place = "/judge/instrument"
    return replace(
        command,
        argv=("/usr/bin/bash", place, *arguments, *command.argv),
        limits=_LIMITS,
        binds=(*command.binds, tool),
        files=(*command.files, JailFile(place, script)),
        outputs=(output,),
        environment=(*command.environment, ("HOME", "/tmp"), ("TMPDIR", "/tmp")),  # noqa: S108 - the jail's own
        instrumented=True,
    )


def tool_bind(folder: Path, destination: str) -> Bind:
    return Bind(PurePosixPath(folder), destination)


def hindrance(result: JailResult, output: Output, tool: str) -> NotRun | None:
    """Say why a run brought nothing; None for one that ended in time and in bounds, whatever its exit code."""
    if result.timed_out or result.cpu_exhausted:
        return NotRun(Hindrance.TOO_SLOW, f"{tool} did not end within {WALL_SECONDS:g} s")
    if result.memory_exhausted or result.outputs[output.name].dropped:
        return NotRun(
            Hindrance.TOO_MUCH, f"{tool} needs more memory, or writes more, than is allowed"
        )
    if result.exit_code == NOT_PERMITTED:
        detail = f"the driver does not permit counters to {tool}"
        return NotRun(Hindrance.NO_PERMISSION, detail)
    if result.exit_code == NO_REPORT:
        return NotRun(Hindrance.FAILED, f"{tool} left no report{last_words(result)}")
    return None


def last_words(result: JailResult) -> str:
    """What a tool said before it failed, as the end of a sentence. A kernel may have written it: nobody parses it."""
    said = result.stderr.content.decode(errors="replace").strip()[-WORDS_BYTES:]
    return f": {quoted(said, limit=2 * WORDS_BYTES)}" if said else ""
