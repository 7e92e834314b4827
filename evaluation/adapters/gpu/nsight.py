"""Nsight Compute around a command that calls a kernel: threads by instruction, or the hardware's counters by launch.

Threads by instruction are evidence, never the finding: for them the tool patches code and keeps its counts where the
kernel can write (rules I1, I2, I5). The counters are the hardware's own; for each of their passes the tool puts back
what the kernel wrote, so the command has private copies of everything (rule I12).
"""

import importlib.resources
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from evaluation.adapters.gpu.instrumented import (
    WORDS_BYTES,
    hindrance,
    last_words,
    tool_bind,
    wrapped,
)
from evaluation.core.errors import InvalidInput
from evaluation.core.measure.examination import Hindrance, NotRun
from evaluation.core.measure.nsight_counts import NsightCounts, read_nsight_counts
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult, Output
from evaluation.core.probe.sass_counts import (
    LIMIT_BYTES,
    LIMIT_LAUNCHES,
    SassCounts,
    read_sass_counts,
)

Counts = TypeVar("Counts", SassCounts, NsightCounts)

_TOOL: Final = "/nsight"
_READER: Final = "/judge/nsight_reader.py"
_COUNTS: Final = Output("counts", fd=10, limit_bytes=LIMIT_BYTES)
_PARENTS: Final = (Path("/usr/local/cuda"), Path("/opt/nvidia/nsight-compute"))
_NAME: Final = re.compile(r"[A-Za-z0-9_$.]{1,1024}")
# The tool's words go to a file that nothing else writes. Only the driver's refusal is looked for in it, and all that
# hangs on it is the word for a finding that is unknown anyway.
_BY_INSTRUCTION: Final = "thread_inst_executed_true"
_TELLING: Final = "telling"  # the command writes how its calls compare to a file that it gets as its last argument
_SCRIPT: Final = f"""\
tool=$1; python=$2; reader=$3; functions=$4; skip=$5; count=$6; metrics=$7; tells=$8; shift 8
place=$(/usr/bin/mktemp -d) || exit 1
wanted=()
if [ "$tells" = {_TELLING} ]; then
  set -- "$@" "$place/told"
  wanted=("$metrics" "$place/told")
fi
"$tool/ncu" --log-file "$place/log" --export "$place/counts" --force-overwrite --clock-control none \\
  --cache-control none --replay-mode kernel --target-processes all --kernel-name-base mangled \\
  --kernel-name "regex:$functions" --launch-skip "$skip" --launch-count "$count" \\
  --metrics "$metrics" "$@" </dev/null >/dev/null 2>/dev/null
if [ ! -f "$place/counts.ncu-rep" ]; then
  /usr/bin/grep -q ERR_NVGPUCTRPERM "$place/log" && exit 77
  /usr/bin/tail -c {WORDS_BYTES} "$place/log" >&2
  exit 78
fi
"$python" -B "$reader" "$tool/extras/python" "$place/counts.ncu-rep" "${{wanted[@]}}" >&{_COUNTS.fd}
""".encode()


@dataclass(frozen=True, slots=True)
class Nsight:
    """``folder`` holds ``ncu`` and ``extras/python``, or is None where the tool is not installed.

    ``python`` is the path, inside the jail, of an interpreter that can load the tool's module.
    """

    jail: Jail
    folder: Path | None
    python: str

    def counts(
        self, command: JailCommand, functions: tuple[str, ...], *, skip: int = 0
    ) -> SassCounts | NotRun:
        """Run ``command``, which makes one call of a kernel and ends with 0, and count in the named functions.

        ``skip`` launches of them come before the call and are not counted.
        Raise ToolFailure where the jail itself fails.
        """
        found = self._run(command, functions, (str(skip), str(LIMIT_LAUNCHES), _BY_INSTRUCTION, ""))
        return found if isinstance(found, NotRun) else _read(found, read_sass_counts)

    def counters(
        self,
        command: JailCommand,
        functions: tuple[str, ...],
        metrics: tuple[str, ...],
        *,
        skip: int,
        launches: int,
    ) -> NsightCounts | NotRun:
        """Run ``command`` with a path as its last argument, and read ``metrics`` of ``launches`` of the functions.

        To that path the command writes how what its calls left compares. Raise ToolFailure where the jail itself fails.
        """
        words = (str(skip), str(launches), ",".join(metrics), _TELLING)
        found = self._run(command, functions, words)
        if isinstance(found, NotRun):
            return found
        return _read(found, lambda content: read_nsight_counts(content, len(metrics)))

    def _run(
        self, command: JailCommand, functions: tuple[str, ...], words: tuple[str, ...]
    ) -> bytes | NotRun:
        if self.folder is None:
            return NotRun(Hindrance.MISSING, "Nsight Compute is not installed on this host")
        if not functions or not all(_NAME.fullmatch(name) for name in functions):
            return NotRun(Hindrance.FAILED, "a function's name is none that ptxas writes")
        wanted = f"^({'|'.join(re.escape(name) for name in functions)})$"
        reader = importlib.resources.files("evaluation") / "adapters/gpu/nsight_reader.py"
        with_reader = wrapped(
            command,
            tool_bind(self.folder, _TOOL),
            _SCRIPT,
            (_TOOL, self.python, _READER, wanted, *words),
            _COUNTS,
        )
        files = (*with_reader.files, JailFile(_READER, reader.read_bytes()))
        return _content(self.jail.run(replace(with_reader, files=files)))


def find_nsight(parents: Iterable[Path] = _PARENTS) -> Path | None:
    """Find the newest installed Nsight Compute, by the name of its folder."""
    found = [
        one
        for parent in parents
        for one in (*parent.glob("nsight-compute-*"), *parent.glob("20*"))
        if (one / "ncu").exists() and (one / "extras/python/ncu_report.py").exists()
    ]
    return max(found, key=lambda one: one.name.removeprefix("nsight-compute-"), default=None)


def _content(result: JailResult) -> bytes | NotRun:
    hindered = hindrance(result, _COUNTS, "Nsight Compute")
    if hindered:
        return hindered
    if not result.clean:
        detail = f"Nsight Compute's report cannot be read ({result.exit_code}){last_words(result)}"
        return NotRun(Hindrance.FAILED, detail)
    return result.outputs[_COUNTS.name].content


def _read(content: bytes, read: Callable[[bytes], Counts]) -> Counts | NotRun:
    try:
        return read(content)
    except InvalidInput as broken:
        return NotRun(Hindrance.UNREADABLE, f"{broken.where}: {broken.rule}")
