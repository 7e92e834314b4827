"""Arguments in, exit code out. What a user or a machine got wrong ends in one message, never in a traceback."""

import contextlib
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from evaluation.adapters.lab import open_lab
from evaluation.adapters.measure_wiring import find_gpu
from evaluation.adapters.wiring import prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.cli import bundling, doctoring, exit_codes, judging, replaying, showing
from evaluation.cli.arguments import parser
from evaluation.cli.files import CannotWrite, Unreadable
from evaluation.cli.gpu_choice import FindGpu
from evaluation.cli.interrupting import interruptible
from evaluation.cli.judging import OpenLab, OpenTools
from evaluation.cli.paper import Paper, clean
from evaluation.cli.streams import end_streams, prepare_streams
from evaluation.core.errors import CannotJail, InvalidInput, ToolFailure, ToolMissing

_LABEL = "ptxboard: "
# Commands that only look: they need no state folder.
_LOOKING: Mapping[str, Callable[[Namespace], int]] = {
    "bundle": bundling.show_bundle,
    "plan": showing.show_plan,
    "problems": showing.show_problems,
}
_LAB = partial(open_lab, environment=os.environ)
_INTERRUPTED = "interrupted: no verdict. What finished stages made stays in the state folder"
# The first that fits.
_CODES: tuple[tuple[type[Exception], int], ...] = (
    (InvalidInput, exit_codes.BAD_DOCUMENT),
    (Unreadable, exit_codes.NO_INPUT),
    (CannotWrite, exit_codes.CANNOT_WRITE),
    (CannotJail, exit_codes.UNAVAILABLE),
    (ToolMissing, exit_codes.UNAVAILABLE),
    (ToolFailure, exit_codes.OUR_FAILURE),
)


def main(
    argv: Sequence[str] | None = None,
    *,
    open_tools: OpenTools = prepare_tools,
    open_lab: OpenLab = _LAB,
    find_gpu: FindGpu = find_gpu,
) -> int:
    """Run one command and give its exit code; wrong arguments end in SystemExit(2)."""
    prepare_streams()
    options = parser().parse_args(argv)
    try:
        with interruptible():
            code = _run(options, open_tools, open_lab, find_gpu)
        sys.stdout.flush()  # here, where a closed pipe or a full disk can still be told
    except (InvalidInput, Unreadable, CannotWrite, ToolFailure) as why:
        action = why.action if isinstance(why, ToolFailure) else ""
        code = next(code for kind, code in _CODES if isinstance(why, kind))
        _complain(str(why), action)
    except KeyboardInterrupt:
        code = exit_codes.INTERRUPTED
        _complain(_INTERRUPTED, "")
    except BrokenPipeError:
        code = exit_codes.PIPE_CLOSED  # whoever read us went away (``| head``): nobody to tell
    except OSError as error:
        # Only opening names a file; without one a write failed, and what we write here is output.
        code = exit_codes.OUR_FAILURE if error.filename else exit_codes.CANNOT_WRITE
        where = f": {error.filename}" if error.filename else ""
        _complain(f"{error.strerror}{where}", "check free space and permissions")
    end_streams()
    return code


def _run(options: Namespace, open_tools: OpenTools, open_lab: OpenLab, find_gpu: FindGpu) -> int:
    if look := _LOOKING.get(options.command):
        return look(options)
    workspace = _workspace(options)
    match options.command:
        case "judge":
            return judging.judge(options, workspace, open_tools, open_lab, find_gpu)
        case "record":
            return judging.record(options, workspace, open_tools)
        case "replay":
            return replaying.replay(options, workspace, open_lab, open_tools)
        case _:
            return doctoring.doctor(options, workspace, os.environ)


def _workspace(options: Namespace) -> Workspace:
    home: Path = options.home or default_home(os.environ, uid=os.geteuid())
    return Workspace(home)


def _complain(what: str, action: str) -> None:
    """Say it on standard error: wrapped for a terminal, else one line for each of ours, fit for grep."""
    paper = Paper(sys.stderr)
    indent = " " * len(_LABEL)
    lines = [line for text in (what, action) for line in text.splitlines() if line.strip()]
    with contextlib.suppress(BrokenPipeError):
        for place, line in enumerate(lines):
            first = indent if place else _LABEL
            if paper.terminal:
                paper.wrapped(line, indent=indent, first=first)
            else:
                paper.line(first + clean(line))
