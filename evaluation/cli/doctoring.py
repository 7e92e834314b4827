"""The command doctor: what this machine can do, and what to do where it cannot."""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping

from evaluation.adapters.doctor import (
    Check,
    check_build,
    check_jail,
    check_memory_bound,
    check_toolchain,
)
from evaluation.adapters.measure_wiring import quarantines
from evaluation.adapters.wiring import compiler, create, find_toolchain, jail_of
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.paper import Paper
from evaluation.core.errors import ToolFailure, ToolMissing

_LABEL_COLUMNS = 21


def doctor(
    options: argparse.Namespace, workspace: Workspace, environment: Mapping[str, str]
) -> int:
    """Try everything that judging needs. Exit code 0 if all of it works.

    Raise ToolMissing, before anything is tried, where a quarantine was to be lifted and this user may not.
    """
    paper = Paper(sys.stderr if options.json else sys.stdout)
    if options.lift_quarantine:
        _lift(workspace)
    checks = []
    paper.pending("  checking ...")
    for check in run_checks(workspace, environment):
        checks.append(check)
        if not options.json:
            _print(check, paper)
        paper.pending("  checking ...")
    paper.settle()
    sound = all(check.ok for check in checks)
    if options.json:
        rows = [
            {"name": one.name, "ok": one.ok, "detail": one.detail, "action": one.action}
            for one in checks
        ]
        sys.stdout.write(json.dumps({"ok": sound, "checks": rows}, indent=1) + "\n")
    else:
        paper.line()
        paper.line(f"  {_ready(paper, checks) if sound else _not_ready(paper)}")
    return exit_codes.OK if sound else exit_codes.UNAVAILABLE


def _lift(workspace: Workspace) -> None:
    """In every ledger, also of a GPU that a worker has: one that rests takes kernels again with its next beat."""
    for ledger in quarantines(workspace):
        try:
            ledger.lift()
        except ToolFailure as closed:
            raise ToolMissing(closed.what, action=closed.action) from closed


def run_checks(workspace: Workspace, environment: Mapping[str, str]) -> Iterator[Check]:
    """Each thing as soon as it was tried; what hangs on something that does not work is not tried."""
    try:
        create(workspace)
    except ToolFailure as unusable:
        yield Check("state folder", ok=False, detail=unusable.what, action=unusable.action)
        return
    yield Check("state folder", ok=True, detail=str(workspace.home))
    jail = jail_of(workspace)
    in_jail = check_jail(jail)
    yield in_jail
    if not in_jail.ok:
        return
    yield check_memory_bound()
    try:
        toolchain = find_toolchain(workspace, jail)
    except ToolFailure as missing:
        yield Check("toolchain", ok=False, detail=missing.what, action=missing.action)
        return
    yield from check_toolchain(toolchain, jail)
    yield check_build(compiler(workspace, jail, toolchain, cached=False))
    yield from _gpu(workspace, environment)


def _gpu(workspace: Workspace, environment: Mapping[str, str]) -> Iterator[Check]:
    """The GPU half; a machine without its packages is fit for the other one."""
    try:
        from evaluation.adapters.doctor_gpu import check_gpus  # noqa: PLC0415  # see above
    except ImportError as missing:
        detail = f"not looked for, {missing.name} is not installed: policy, build, record and scan need none"
        yield Check("gpu", ok=True, detail=detail)
        return
    yield from check_gpus(workspace, environment)


def _print(check: Check, paper: Paper) -> None:
    word = paper.style("ok ", "good") if check.ok else paper.style("no ", "bad")
    indent = " " * _LABEL_COLUMNS
    paper.wrapped(check.detail, indent=indent, first=f"  {check.name:<14} {word} ")
    if check.action:
        paper.wrapped(check.action, indent=indent)


def _ready(paper: Paper, checks: list[Check]) -> str:
    whole = any(one.name == "referee" for one in checks)
    how = "to all three findings" if whole else "as far as the scan"
    return f"{paper.style('ready', 'good')}: kernels are judged here {how}"


def _not_ready(paper: Paper) -> str:
    return f"{paper.style('not ready', 'bad')}: nothing is judged here until what says no is mended"
