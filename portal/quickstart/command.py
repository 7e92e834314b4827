"""The command that starts the whole product on this machine and stops it again."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

from evaluation.adapters.workspace import default_home
from portal.env import WrongEnvironment, read_environment
from portal.quickstart import broker, gpus, logins, web
from portal.quickstart.guard import guarded
from portal.quickstart.log_files import LogFiles
from portal.quickstart.processes import CannotGuard
from portal.quickstart.services import REPOSITORY, Installation, gpu_environment, stages
from portal.quickstart.state_folder import Instance, StateFolder, Unusable, socket_folder
from portal.quickstart.supervisor import Plan, supervise

UNAVAILABLE = 69
_BROKER = "PTXBOARD_BROKER_URL"


def main(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run the product until it is told to stop; give the exit code. Wrong arguments end in SystemExit(2)."""
    options = _parser().parse_args(arguments)
    home = options.home or default_home(environment, uid=os.geteuid())
    try:
        read_environment(environment, uid=os.geteuid())  # the site would refuse it one by one
        return _run(StateFolder(home.absolute()), options.port, environment)
    except (Unusable, CannotGuard, WrongEnvironment) as why:
        _complain(str(why))
        return UNAVAILABLE
    except KeyboardInterrupt:  # nothing was started yet
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bin/serve",
        description="Start the whole product on this machine: site, queue, database, workers. Ctrl-C stops it.",
    )
    parser.add_argument("--port", type=_port, help="listen here; default 8000, or any free port")
    parser.add_argument(
        "--home", type=Path, help="state folder with all data; default PTXBOARD_HOME or this user's"
    )
    return parser


def _port(word: str) -> int:
    if not (word.isascii() and word.isdecimal() and 1 <= int(word[:6]) <= 65535):
        raise argparse.ArgumentTypeError(f"{word[:40]!r} is not a port from 1 to 65535")
    return int(word)


def _run(state: StateFolder, port: int | None, environment: Mapping[str, str]) -> int:
    state.create()
    with closing(Instance(state.lock)) as instance, closing(web.listen(port)) as listening:
        given = environment.get(_BROKER, "")
        sockets = socket_folder(state, environment, broker.SOCKET_NAME)
        installation = Installation(
            state=state,
            environment=environment,
            broker_url=given or broker.address(sockets),
            server=None if given else _server(environment),
            sockets=sockets,
            listening=listening,
            gpus=gpus.look(gpu_environment(environment)),
            preparers=max(1, (os.cpu_count() or 1) // 2),
        )
        _say(f"starting; logs are in {state.logs}")
        plan = Plan(
            stages(installation),
            LogFiles(state.logs),
            REPOSITORY,
            announce=partial(_announce, installation, instance),
            say=_say,
        )
        return guarded(partial(supervise, plan), _say)


def _server(environment: Mapping[str, str]) -> Path:
    if server := broker.find_server(environment.get("PATH", "")):
        return server
    raise Unusable(
        "there is no valkey-server or redis-server\n"
        f"run bin/setup, install either one, or name a Redis with {_BROKER}"
    )


def _announce(of: Installation, instance: Instance) -> None:
    """Say where it can be reached and by whom, where the data is, and what this machine cannot do."""
    address = f"http://{web.HOST}:{web.port_of(of.listening)}/"
    instance.write(address)
    _say(f"PTXBoard runs at {address}\n")
    for login in logins.read(of.state.logins) or ():
        _say(f"  sign in as {login.role:<7} {login.email}  password {login.password}")
    _say(f"  data        {of.state.home}")
    measured = [f"{one.product.upper()} (GPU {one.number})" for one in of.gpus if one.product]
    for gpu in of.gpus:
        if not gpu.product:
            _say(f"  GPU {gpu.number}       not used: {gpu.why}; bin/ptxboard doctor says more")
    none = "none here: a new upload goes as far as the scan, and then waits for a Hopper worker"
    _say(f"  measuring   {', '.join(measured) or none}\n")
    _say("Ctrl-C stops everything; the data stays.")


def _say(line: str) -> None:
    with suppress(OSError):  # whoever read us went away; the product goes on
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


def _complain(text: str) -> None:
    for line in text.splitlines():
        sys.stderr.write(f"serve: {line}\n")
