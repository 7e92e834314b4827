"""The whole product with short waits and scripted tools: ``short_product.py HOME SERVER``.

Everything else is as bin/serve has it: programs, environments, order of start, supervision. SERVER is the program of the
broker; the database is PTXBOARD_DATABASE_URL's. Whatever is killed is started again at once and however often.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

from portal.quickstart import broker, web
from portal.quickstart.gpus import FoundGpu
from portal.quickstart.guard import guarded
from portal.quickstart.log_files import LogFiles
from portal.quickstart.restarts import Restarts
from portal.quickstart.service import Service, Stage
from portal.quickstart.services import REPOSITORY, Installation, stages
from portal.quickstart.state_folder import StateFolder, socket_folder
from portal.quickstart.supervisor import Plan, supervise

_APPS = {
    "portal": "short_site",
    "reports": "short_site",
    "beat": "short_site",
    "prepare": "short_prepare",
    "measure-0": "short_measure",
}
_FOLDERS = (REPOSITORY, REPOSITORY / "tests", REPOSITORY / "tests" / "journeys")


def main(home: Path, server: Path) -> int:
    state = StateFolder(home)
    state.create()
    with closing(web.listen(0)) as listening:
        sockets = socket_folder(state, os.environ, broker.SOCKET_NAME)
        installation = Installation(
            state=state,
            environment=os.environ,
            broker_url=broker.address(sockets),
            server=server,
            sockets=sockets,
            listening=listening,
            gpus=(FoundGpu(0, "h200", ""),),
            preparers=1,
        )
        plan = Plan(
            tuple(_short(stage) for stage in stages(installation)),
            LogFiles(state.logs),
            REPOSITORY,
            announce=partial(_say, f"runs at http://{web.HOST}:{web.port_of(listening)}"),
            say=_say,
            restarts=Restarts(limit=sys.maxsize, first_seconds=0.1, longest_seconds=0.1),
        )
        return guarded(partial(supervise, plan), _say)


def _short(stage: Stage) -> Stage:
    return tuple(_short_service(one) for one in stage)


def _short_service(one: Service) -> Service:
    environment = {
        **one.environment,
        "PYTHONPATH": ":".join(map(str, _FOLDERS)),
        "PYTHONDONTWRITEBYTECODE": "1",
        "JOURNEY_PACE": os.environ.get("JOURNEY_PACE", "0"),
    }
    return replace(one, command=tuple(_words(one)), environment=environment)


def _words(one: Service) -> Iterator[str]:
    for word in one.command:
        is_app = word in {"portal.celery", "evaluation.worker"}
        yield _APPS[one.name] if is_app else word


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
