"""The command line as a program with fakes behind the ports: ``fake_cli.py SCENARIO WORD...``, for tests of terminals.

Started with the repository and its tests on PYTHONPATH.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from fake_adapters import description
from sample_run import BUILT, sample_tools

from evaluation.adapters.workspace import Workspace
from evaluation.cli.main import main
from evaluation.core.compile.build import Failed, FailureKind, Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure
from evaluation.core.pipeline import Tools
from evaluation.core.verdict import Target

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u2066 \x9b31m\r\x08 \U000e0041 end"


class Sleeper:
    """A compiler whose two tools run for ten minutes, awaited in threads as the real one's are."""

    def build(self, source: bytes, target: Target) -> Program:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self._sleep, range(2)))
        return BUILT

    description = staticmethod(description)

    def _sleep(self, number: int) -> None:
        argv = ["/usr/bin/sleep", "600"]
        pid = os.posix_spawn(argv[0], argv, {}, setpgroup=0)
        sys.stderr.write(f"sleeps {pid}\n")
        sys.stderr.flush()
        os.waitpid(pid, 0)


def tools_of(scenario: str) -> Tools:
    match scenario:
        case "hostile":
            log = "\n".join([HOSTILE, "x" * 5000, *(f"line {n}" for n in range(100))])
            return sample_tools(
                program=Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, log, 1.0)
            )
        case "our_failure":
            return sample_tools(program=ToolFailure("the disk is full", action="make room"))
        case "sleeper":
            tools = sample_tools()
            return Tools(**{**_fields(tools), "compiler": Sleeper()})  # type: ignore[arg-type]
        case _:
            return sample_tools()


def _fields(tools: Tools) -> dict[str, object]:
    return {name: getattr(tools, name) for name in tools.__slots__}


def open_tools(workspace: Workspace, *, cached: bool) -> Tools:
    return tools_of(sys.argv[1])


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:], open_tools=open_tools))
