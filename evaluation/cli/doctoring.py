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
from evaluation.adapters.wiring import compiler, find_toolchain, jail_of
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.paper import Paper, clean
from evaluation.core.errors import ToolFailure


def doctor(options: argparse.Namespace, workspace: Workspace) -> int:
    checks = list(_checks(workspace))
    sound = all(check.ok for check in checks)
    if options.json:
        rows = [
            {"name": one.name, "ok": one.ok, "detail": one.detail, "action": one.action}
            for one in checks
        ]
        sys.stdout.write(json.dumps({"ok": sound, "checks": rows}, indent=1) + "\n")
    else:
        _print(checks, Paper())
    return exit_codes.OK if sound else exit_codes.UNAVAILABLE


def _checks(workspace: Workspace) -> Iterator[Check]:
    workspace.create()
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


def _print(checks: list[Check], paper: Paper) -> None:
    for one in checks:
        word = paper.style("ok ", "good") if one.ok else paper.style("no ", "bad")
        label = f"  {one.name:<14} "
        paper.wrapped(one.detail, indent=" " * (len(label) + 4), first=f"{label}{word} ")
        if one.action:
            paper.wrapped(clean(one.action), indent=" " * (len(label) + 4))
