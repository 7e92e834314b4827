"""The command doctor: what this machine can do, and what to do where it cannot."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from evaluation.adapters.doctor import (
    Check,
    check_build,
    check_jail,
    check_memory_bound,
    check_toolchain,
)
from evaluation.adapters.wiring import compiler, create, find_toolchain, jail_of
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.paper import Paper
from evaluation.core.errors import ToolFailure

_LABEL_COLUMNS = 21


def doctor(options: argparse.Namespace, workspace: Workspace) -> int:
    """Try everything that judging needs. Exit code 0 if all of it works."""
    paper = Paper(sys.stderr if options.json else sys.stdout)
    checks = []
    paper.pending("  checking ...")
    for check in run_checks(workspace):
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
        paper.line(f"  {_ready(paper) if sound else _not_ready(paper)}")
    return exit_codes.OK if sound else exit_codes.UNAVAILABLE


def run_checks(workspace: Workspace) -> Iterator[Check]:
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
    yield _gpu()
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


def _gpu() -> Check:
    """A GPU is not needed for policy, build, record and scan; without one the rest waits for a worker that has one."""
    cards = sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*"))
    detail = ", ".join(cards) if cards else "none: policy, build, record and scan need none"
    return Check("gpu", ok=True, detail=detail)


def _print(check: Check, paper: Paper) -> None:
    word = paper.style("ok ", "good") if check.ok else paper.style("no ", "bad")
    indent = " " * _LABEL_COLUMNS
    paper.wrapped(check.detail, indent=indent, first=f"  {check.name:<14} {word} ")
    if check.action:
        paper.wrapped(check.action, indent=indent)


def _ready(paper: Paper) -> str:
    return f"{paper.style('ready', 'good')}: kernels are judged here as far as the scan"


def _not_ready(paper: Paper) -> str:
    return f"{paper.style('not ready', 'bad')}: nothing is judged here until what says no is mended"
