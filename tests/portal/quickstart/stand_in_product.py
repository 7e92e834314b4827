"""A product of stand-ins under the real guard and supervisor, as a program: ``stand_in_product.py FOLDER``.

Each stand-in writes its name into ``started`` and does what the file ``NAME.does`` in the folder says.
"""

import sys
from functools import partial
from pathlib import Path

from portal.quickstart.guard import guarded
from portal.quickstart.log_files import LogFiles
from portal.quickstart.restarts import Restarts
from portal.quickstart.service import Service
from portal.quickstart.supervisor import Plan, supervise

STAND_IN = Path(__file__).with_name("stand_in.py")
MARK = "PTXBOARD_TEST_MARK"


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def plan(folder: Path) -> Plan:
    def service(name: str, *, once: bool = False) -> Service:
        ready = (folder / f"{name}.ready").exists
        return Service(
            name,
            (sys.executable, "-I", "-S", str(STAND_IN), str(folder), name),
            {MARK: str(folder), "PATH": "/usr/bin:/bin"},
            ready=ready,
            ready_seconds=120,
            once=once,
            stop_seconds=2,
        )

    return Plan(
        (
            (service("broker"),),
            (service("migrate", once=True),),
            (service("worker"), service("beat")),
            (service("web"),),
        ),
        LogFiles(folder),
        folder,
        announce=lambda: say("announced"),
        say=say,
        # Every end is a quick one, however slow the machine is.
        restarts=Restarts(quick_seconds=3600, limit=3, first_seconds=0.05),
        tick_seconds=0.02,
    )


if __name__ == "__main__":
    sys.exit(guarded(partial(supervise, plan(Path(sys.argv[1]))), say))
