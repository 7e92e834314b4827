"""Every program of the embedded product: its command line, and the environment that it alone gets."""

import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation import queues
from portal.quickstart import broker, web
from portal.quickstart.gpus import FoundGpu
from portal.quickstart.service import Service, Stage
from portal.quickstart.state_folder import StateFolder

REPOSITORY = Path(__file__).parents[2]

_CELERY = (sys.executable, "-P", "-m", "celery")
_LOUD = ("--loglevel", "INFO")

# What any program may know of the environment that the product was started from.
_OF_THE_SYSTEM = ("PATH", "HOME", "TMPDIR", "LANG", "TZ")
_OF_A_GPU = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "VIRTUAL_ENV")
# What a worker takes jobs from: we say which one does what.
_OF_ONE_WORKER = frozenset({"PTXBOARD_DEVICE", "PTXBOARD_GPU", "PTXBOARD_QUEUE"})


@dataclass(frozen=True, slots=True)
class Installation:
    """Where and with what the product is started. ``server`` is None where ``broker_url`` names somebody else's."""

    state: StateFolder
    environment: Mapping[str, str]
    broker_url: str
    server: Path | None
    sockets: Path
    listening: socket.socket
    gpus: tuple[FoundGpu, ...]
    preparers: int  # kernels that are prepared at the same time


def stages(of: Installation) -> tuple[Stage, ...]:
    """What starts after what; it ends the other way round."""
    own_broker = () if of.server is None else ((_broker(of, of.server),),)
    return (*own_broker, (_database(of),), _workers(of), (web.service(of.listening, _site(of)),))


def _broker(of: Installation, server: Path) -> Service:
    path = of.environment.get("PATH", "")
    return broker.service(server, sockets=of.sockets, keeps=of.state.broker, path=path)


def _database(of: Installation) -> Service:
    command = (sys.executable, "-P", "-m", "portal.quickstart.first_start", str(of.state.logins))
    return Service("database", command, _site(of), once=True, ready_seconds=1800)


def _workers(of: Installation) -> Stage:
    portal = tuple(
        Service(name, _worker("portal.celery", name), {**_site(of), "PTXBOARD_QUEUE": queue})
        for name, queue in (("portal", queues.PORTAL), ("reports", queues.REPORTS))
    )
    beat = Service("beat", (*_CELERY, "--app", "portal.celery", "beat", *_LOUD), _site(of))
    prepare = Service(
        "prepare",
        (*_worker("evaluation.worker", "prepare"), "--concurrency", str(of.preparers)),
        _judge(of),
        private_files=False,  # jails read as other users, and the judge says itself what they may
    )
    return (*portal, beat, prepare, *(_measure(of, gpu) for gpu in of.gpus if gpu.product))


def _measure(of: Installation, gpu: FoundGpu) -> Service:
    name = f"measure-{gpu.number}"
    environment = {
        **_judge(of),
        **_given(of, _OF_A_GPU),
        "PTXBOARD_DEVICE": gpu.product,
        "PTXBOARD_GPU": str(gpu.number),
    }
    return Service(name, _worker("evaluation.worker", name), environment, private_files=False)


def _worker(app: str, name: str) -> tuple[str, ...]:
    alone = ("--without-gossip", "--without-mingle")  # nobody else's workers are of interest
    return (*_CELERY, "--app", app, "worker", "--hostname", f"{name}@%h", *alone, *_LOUD)


def _site(of: Installation) -> dict[str, str]:
    """What the site's programs get: all of its settings, whoever gave them."""
    settings = {
        name: value
        for name, value in of.environment.items()
        if name.startswith("PTXBOARD_") and name not in _OF_ONE_WORKER
    }
    return {**settings, **_judge(of), "DJANGO_SETTINGS_MODULE": "portal.settings"}


def _judge(of: Installation) -> dict[str, str]:
    """What the judge's workers get: no database, no key, no other setting of the site."""
    return {
        **_given(of, _OF_THE_SYSTEM),
        "PYTHONPATH": str(REPOSITORY),
        "PYTHONUNBUFFERED": "1",
        "LC_ALL": "C.UTF-8",
        "PTXBOARD_HOME": str(of.state.home),
        "PTXBOARD_BROKER_URL": of.broker_url,
    }


def gpu_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program gets that looks for GPUs."""
    known = (*_OF_THE_SYSTEM, *_OF_A_GPU)
    found = {name: environment[name] for name in known if name in environment}
    return {**found, "PYTHONPATH": str(REPOSITORY), "LC_ALL": "C.UTF-8"}


def _given(of: Installation, names: tuple[str, ...]) -> dict[str, str]:
    return {name: of.environment[name] for name in names if name in of.environment}
