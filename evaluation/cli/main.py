"""Arguments in, exit code out. What a user or a machine got wrong ends in one message, never in a traceback."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from evaluation.adapters.workspace import Workspace, default_home
from evaluation.cli import doctoring, exit_codes, judging, showing
from evaluation.core.errors import CannotJail, InvalidInput, ToolFailure, ToolMissing
from evaluation.core.verdict import Target

_EPILOG = """\
exit codes: 0 accepted; 3 passed every stage that this machine can run, GPU stages are to come; 10 wrong result,
11 memory fault, 12 runtime error, 13 timeout, 20 build failed, 21 policy rejected, 22 not recordable, 23 no kernel;
2 usage, 65 invalid document, 66 unreadable input, 69 a tool or the jail is missing, 70 our own failure.
"""


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    try:
        code: int = options.run(options)
    except InvalidInput as refused:
        return _complain(f"{refused}", "", exit_codes.BAD_DOCUMENT)
    except (CannotJail, ToolMissing) as failure:
        return _complain(failure.what, failure.action, exit_codes.UNAVAILABLE)
    except ToolFailure as failure:
        return _complain(failure.what, failure.action, exit_codes.OUR_FAILURE)
    except KeyboardInterrupt:
        return _complain("interrupted; nothing was stored", "", exit_codes.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output went away (``| head``); there is nobody to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exit_codes.OK
    return code


def _complain(what: str, action: str, code: int) -> int:
    sys.stderr.write(f"ptxboard: {what}\n")
    if action:
        sys.stderr.write(f"          {action}\n")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ptxboard",
        description="Judge GPU kernels: correct, target instruction executed, fast, as three separate findings.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--home",
        type=Path,
        default=None,
        help="state folder with toolchain and caches; default $PTXBOARD_HOME, else /var/lib/ptxboard for root, "
        "~/.local/share/ptxboard for others",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    judge = commands.add_parser("judge", help="judge a kernel as far as this machine can")
    _kernel_arguments(judge)
    judge.add_argument("--json", action="store_true", help="one JSON document on standard output")
    judge.add_argument("--out", type=Path, help="folder for plan, cubin, library, PTX and report")
    judge.add_argument(
        "--no-cache",
        action="store_true",
        help="compile even if the same source was compiled before",
    )
    judge.set_defaults(run=lambda options: judging.judge(options, _workspace(options)))

    record = commands.add_parser("record", help="record a kernel and print its launch plan as JSON")
    _kernel_arguments(record)
    record.add_argument("--out", type=Path, help="file for the plan; default is standard output")
    record.add_argument("--no-cache", action="store_true", help=argparse.SUPPRESS)
    record.set_defaults(run=lambda options: judging.record(options, _workspace(options)))

    plan = commands.add_parser("plan", help="look at a launch plan")
    verbs = plan.add_subparsers(dest="verb", required=True, metavar="VERB")
    show = verbs.add_parser("show", help="print a launch plan in words")
    show.add_argument("file", help="a plan; - reads standard input")
    show.set_defaults(run=showing.show_plan)

    problems = commands.add_parser("problems", help="list the problems, or print one")
    problems.add_argument("name", nargs="?", help="a problem's name")
    problems.add_argument("--json", action="store_true", help="JSON on standard output")
    problems.set_defaults(run=showing.show_problems)

    doctor = commands.add_parser("doctor", help="check toolchain, jail and GPU, and say what to do")
    doctor.add_argument("--json", action="store_true", help="JSON on standard output")
    doctor.set_defaults(run=lambda options: doctoring.doctor(options, _workspace(options)))
    return parser


def _kernel_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a kernel.cu; - reads standard input")
    parser.add_argument("--problem", required=True, help="a name that `ptxboard problems` lists")
    parser.add_argument("--target", required=True, choices=[str(one) for one in Target])
    parser.add_argument(
        "--device", help="product whose table answers device queries; default h200 or b200"
    )


def _workspace(options: argparse.Namespace) -> Workspace:
    home: Path = options.home or default_home(os.environ, uid=os.geteuid())
    return Workspace(home)
