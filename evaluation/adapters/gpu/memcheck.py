"""compute-sanitizer around a command that makes calls of a kernel: memory faults, races, uninitialised reads (rule C8).

Judged by its exit code and the number of records in its XML, never by its text. The command's buffers are to be
allocations of their own of the exact size: the tool sees no overrun into a guard of the same allocation.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from evaluation.adapters.gpu.instrumented import (
    WORDS_BYTES,
    hindrance,
    last_words,
    tool_bind,
    wrapped,
)
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.ports import Jail, JailCommand, JailResult, Output
from evaluation.core.probe.sanitizer_report import LIMIT_BYTES, SanitizerReport, read_report

FOUND: Final = (
    66  # the tool's exit code where it found something; the command itself never ends with it
)

_TOOL: Final = "/sanitizer"
_REPORT: Final = Output("report", fd=10, limit_bytes=LIMIT_BYTES)
_FOLDERS: Final = (Path("/usr/local/cuda/compute-sanitizer"), Path("/opt/nvidia/compute-sanitizer"))
_SCRIPT: Final = f"""\
tool=$1; kind=$2; shift 2
place=$(/usr/bin/mktemp -d) || exit 1
"$tool/compute-sanitizer" --tool "$kind" --xml --save "$place/report.xml" \\
  --error-exitcode {FOUND} --print-limit 100 --show-backtrace no --report-api-errors no \\
  --target-processes all "$@" </dev/null 2>&1 | /usr/bin/tail -c {WORDS_BYTES} >"$place/words"
ended=${{PIPESTATUS[0]}}
/usr/bin/cat "$place/words" >&2
[ -f "$place/report.xml" ] || exit 78
/usr/bin/cat "$place/report.xml" >&{_REPORT.fd} || exit 78
exit $ended
""".encode()


@unique
class SanitizerTool(StrEnum):
    """Tools of compute-sanitizer, by the names it gives them."""

    MEMORY = "memcheck"
    RACES = "racecheck"
    INITIALISED = "initcheck"


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """``folder`` holds ``compute-sanitizer``, or is None where the tool is not installed."""

    jail: Jail
    folder: Path | None

    def check(self, command: JailCommand, tool: SanitizerTool) -> SanitizerReport | NotRun:
        """Run ``command``, which ends with 0 whatever the kernel does. No records: nothing was found.

        Raise ToolFailure where the jail itself fails.
        """
        if self.folder is None:
            return NotRun(Hindrance.MISSING, "compute-sanitizer is not installed on this host")
        bind = tool_bind(self.folder, _TOOL)
        return _read(self.jail.run(wrapped(command, bind, _SCRIPT, (_TOOL, tool), _REPORT)))


def find_sanitizer(folders: Iterable[Path] = _FOLDERS) -> Path | None:
    """Find the folder of an installed compute-sanitizer."""
    return next((one for one in folders if os.access(one / "compute-sanitizer", os.X_OK)), None)


def _read(result: JailResult) -> SanitizerReport | NotRun:
    hindered = hindrance(result, _REPORT, "compute-sanitizer")
    if hindered:
        return hindered
    if result.exit_code not in (0, FOUND):
        detail = (
            f"compute-sanitizer or what it ran ended with {result.exit_code}{last_words(result)}"
        )
        return NotRun(Hindrance.FAILED, detail)
    try:
        report = read_report(result.outputs[_REPORT.name].content)
    except InvalidInput as broken:
        return NotRun(Hindrance.UNREADABLE, f"{broken.where}: {broken.rule}")
    # One says that something was found and the other that nothing was: then neither is believed.
    if (result.exit_code == FOUND) != (report.records > 0):
        detail = f"exit code {result.exit_code} beside {report.records} records"
        return NotRun(Hindrance.UNREADABLE, detail)
    return report
