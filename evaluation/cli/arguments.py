"""The words of the command line: commands, options and their help."""

import argparse
from pathlib import Path

from evaluation.cli.files import STANDARD
from evaluation.cli.gpu_choice import AUTO, is_choice
from evaluation.core.measure.examination import ExaminationKind
from evaluation.core.messages import JUDGE, SCHEMA
from evaluation.core.verdict import Target

_DESCRIPTION = (
    "Judge GPU kernels: correct, target instruction executed, fast, as three separate findings."
)
_EPILOG = """\
exit codes: 0 accepted; 3 passed every stage that this machine can run, GPU stages are to come; 4 a replay differs;
10 wrong result, 11 memory fault, 12 runtime error, 13 timeout, 20 build failed, 21 policy rejected,
22 not recordable, 23 no kernel; 2 usage, 65 invalid name or document, 66 unreadable input,
69 a tool, the jail or a GPU is missing, or the GPU is taken or in quarantine, 70 our own failure,
73 output cannot be written, 130 interrupted, 141 nobody reads the output any more.

first steps:
  ptxboard doctor                     whether this machine can judge
  ptxboard problems                   what there is to solve
  ptxboard judge kernel.cu --problem gemm_n7168_k5120 --target hopper
"""


class _Parser(argparse.ArgumentParser):
    """No abbreviated options: a script that uses one would break with the next option that begins alike."""

    def __init__(self, **options: object) -> None:
        super().__init__(**options, allow_abbrev=False)  # type: ignore[arg-type]


def parser() -> argparse.ArgumentParser:
    """Make the parser; it ends the program with 2 for arguments that it does not take."""
    top = _Parser(
        prog="ptxboard",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument(
        "--version", action="version", version=f"ptxboard, judge {JUDGE}, schema {SCHEMA}"
    )
    _add_home(top, default=None)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_judge(commands.add_parser("judge", help="judge a kernel as far as this machine can"))
    _add_record(commands.add_parser("record", help="record a kernel and print its launch plan"))
    _add_plan(commands.add_parser("plan", help="look at a launch plan"))
    _add_bundle(commands.add_parser("bundle", help="look at the bundle of a judged kernel"))
    _add_replay(commands.add_parser("replay", help="measure a bundle's kernel again and compare"))
    problems = commands.add_parser("problems", help="list the problems, or print one")
    problems.add_argument("name", nargs="?", help="a problem's name")
    _add_json(problems)
    doctor = commands.add_parser("doctor", help="check toolchain, jail and GPU, and say what to do")
    doctor.add_argument(
        "--lift-quarantine",
        action="store_true",
        help="let workers use GPUs again that were found sick and have been looked at",
    )
    _add_home(doctor)
    _add_json(doctor)
    return top


def _add_judge(judge: argparse.ArgumentParser) -> None:
    _add_kernel(judge)
    _add_json(judge)
    judge.add_argument(
        "--out", type=Path, metavar="FOLDER", help="keep plan, cubin, library, PTX and report there"
    )
    judge.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="write the evidence bundle, whatever the verdict",
    )
    judge.add_argument(
        "--gpu",
        type=is_choice,
        default=AUTO,
        metavar="WHICH",
        help="auto: the first GPU if it is of the target, and the default; no; or a number as CUDA counts",
    )
    judge.add_argument(
        "--examine",
        action="append",
        default=[],
        choices=[str(one) for one in ExaminationKind],
        help="look closer with this tool, a minute at most, on the GPU; may be given more than once",
    )
    _add_home(judge)


def _add_record(record: argparse.ArgumentParser) -> None:
    _add_kernel(record)
    record.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        default=Path(STANDARD),
        help="file for the plan; - is standard output and the default",
    )
    _add_home(record)


def _add_plan(plan: argparse.ArgumentParser) -> None:
    verbs = plan.add_subparsers(dest="verb", required=True, metavar="VERB")
    show = verbs.add_parser("show", help="print a launch plan in words")
    show.add_argument("file", help="a plan; - reads standard input")


def _add_bundle(bundle: argparse.ArgumentParser) -> None:
    verbs = bundle.add_subparsers(dest="verb", required=True, metavar="VERB")
    for verb, what in (
        ("show", "print what a bundle says, and its files"),
        ("verify", "check that a bundle is whole and unchanged"),
    ):
        command = verbs.add_parser(verb, help=what)
        command.add_argument("file", help="a bundle; - reads standard input")
        _add_json(command)


def _add_replay(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("file", help="a bundle; - reads standard input")
    replay.add_argument(
        "--rebuild", action="store_true", help="compile the source again and compare the cubin too"
    )
    replay.add_argument(
        "--gpu", type=int, default=0, metavar="NUMBER", help="which GPU, as CUDA counts; default 0"
    )
    _add_json(replay)
    _add_home(replay)


def _add_kernel(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help="a kernel.cu; - reads standard input")
    command.add_argument("--problem", required=True, help="a name that ptxboard problems lists")
    command.add_argument("--target", required=True, choices=[str(one) for one in Target])
    command.add_argument(
        "--device", help="product whose table answers device queries; default h200 or b200"
    )
    command.add_argument(
        "--no-cache", action="store_true", help="compile even what was compiled before"
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", action="store_true", help="one JSON document on standard output, nothing else"
    )


def _add_home(command: argparse.ArgumentParser, *, default: object = argparse.SUPPRESS) -> None:
    command.add_argument(
        "--home",
        type=Path,
        metavar="FOLDER",
        default=default,
        help="state folder with toolchain and caches; default $PTXBOARD_HOME, else /var/lib/ptxboard for root, "
        "~/.local/share/ptxboard for others",
    )
