"""The Celery app of the evaluation side. It knows no Django and no database.

Start one with ``celery -A evaluation.worker worker``. PTXBOARD_BROKER_URL names the broker, PTXBOARD_HOME the state
folder (toolchain, caches, artifacts). We read nothing else from the environment, but Celery takes CELERY_BROKER_URL
before ours, so give workers an environment of their own.
"""

import os
import socket

from celery import Celery

from evaluation import queues
from evaluation.adapters.workspace import Workspace, default_home

BROKER_VARIABLE = "PTXBOARD_BROKER_URL"


def make_app(broker_url: str) -> Celery:
    """The app with the settings that were found to matter; no result backend, no autodiscovery, not the current app."""
    app = Celery(
        "evaluation",
        broker=broker_url,
        set_as_current=False,
        include=["evaluation.tasks"],
        fixups=[],  # one of them loads Django where DJANGO_SETTINGS_MODULE is exported
    )
    app.conf.update(
        broker_connection_retry_on_startup=True,
        broker_transport_options=queues.transport_options(
            visibility_seconds=queues.PREPARE_LIMITS.visibility, unacked=queues.PREPARE
        ),
        accept_content=["json"],
        task_serializer="json",
        task_ignore_result=True,
        task_acks_late=True,
        # The database is the queue of record: a lost child's attempt lapses and a new one is made there, with its own
        # bound. A message that the broker kept handing out would kill one worker after another.
        task_reject_on_worker_lost=False,
        task_acks_on_failure_or_timeout=True,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_max_tasks_per_child=100,
        worker_hijack_root_logger=False,
        task_create_missing_queues=False,
        task_default_queue=queues.PREPARE,
        # What a worker takes from when nobody says -Q. Reports are for the portal's worker alone to take.
        task_queues={queues.PREPARE: {}},
        task_soft_time_limit=queues.PREPARE_LIMITS.soft,
        task_time_limit=queues.PREPARE_LIMITS.hard,
    )
    return app


def worker_name() -> str:
    return f"prepare@{socket.gethostname()}:{os.getpid()}"


def state() -> Workspace:
    return Workspace(default_home(os.environ, uid=os.geteuid()))


app = make_app(os.environ.get(BROKER_VARIABLE, "redis://127.0.0.1:6379/0"))
