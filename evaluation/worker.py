"""The Celery app of the evaluation side. It knows no Django and no database.

Start one with ``celery -A evaluation.worker worker``. PTXBOARD_BROKER_URL names the broker, PTXBOARD_HOME the state
folder (toolchain, caches, artifacts, ledgers of GPUs). With PTXBOARD_DEVICE, a product such as ``h200``, it is a
measure worker with the GPU whose number PTXBOARD_GPU gives, 0 where it is not set. We read nothing else from the
environment, but Celery takes CELERY_BROKER_URL before ours, so give workers an environment of their own.
"""

import os
import socket
from collections.abc import Mapping

from celery import Celery

from evaluation import queues
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.consumer import consume_quietly

BROKER_VARIABLE = "PTXBOARD_BROKER_URL"
DEVICE_VARIABLE = "PTXBOARD_DEVICE"
GPU_VARIABLE = "PTXBOARD_GPU"


def make_app(broker_url: str, role: queues.Role = queues.PREPARER) -> Celery:
    """The app with the settings that were found to matter; no result backend, no autodiscovery, not the current app."""
    app = Celery(
        "evaluation",
        broker=broker_url,
        set_as_current=False,
        include=["evaluation.tasks"],
        fixups=[],  # one of them loads Django where DJANGO_SETTINGS_MODULE is exported
    )
    app.conf.update(queues.app_settings(role), task_default_queue=role.queue)
    consume_quietly(app)
    return app


def role_of(environment: Mapping[str, str]) -> queues.Role:
    """A measure worker's where a device is named, else a prepare worker's."""
    device = environment.get(DEVICE_VARIABLE)
    return queues.measurer(device) if device else queues.PREPARER


def worker_name() -> str:
    word = queues.MEASURE if device() else queues.PREPARE
    return f"{word}@{socket.gethostname()}:{os.getpid()}"


def state() -> Workspace:
    return Workspace(default_home(os.environ, uid=os.geteuid()))


def device() -> str:
    """The product that this worker measures on; empty for a prepare worker."""
    return os.environ.get(DEVICE_VARIABLE, "")


def environment() -> Mapping[str, str]:
    """What a referee is started from."""
    return dict(os.environ)


def gpu() -> int:
    """The number of this worker's GPU, as CUDA counts. Raise ValueError that says what is wrong."""
    word = os.environ.get(GPU_VARIABLE) or "0"
    if not word.isdecimal():
        raise ValueError(f"{GPU_VARIABLE} is {word[:40]!r}; it must be a number from 0")
    return int(word)


app = make_app(os.environ.get(BROKER_VARIABLE, "redis://127.0.0.1:6379/0"), role_of(os.environ))
