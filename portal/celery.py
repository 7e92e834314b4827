"""The Celery app of the site: it wakes the site's workers, and sends what the judge's workers take.

Start one worker a queue with ``celery -A portal.celery worker``; PTXBOARD_QUEUE is ``portal`` or ``portal.reports``.
The database is the queue of record, so nothing here is retried by Celery and no result is kept.
"""

import os
from collections.abc import Callable

import django
from celery import Celery, Task, signals
from django.conf import settings
from django.db import close_old_connections, connections
from kombu import Queue

from evaluation import queues

TASKS = "portal.tasks"
SUBMISSIONS_SECONDS = 60
DATA_SET_SECONDS = 300  # how often it is looked whether it is time to make another one
# One that nobody took before the next one comes is of no use.
BEAT = {
    "sweep": {
        "task": queues.SWEEP_TASK,
        "schedule": queues.SWEEP_SECONDS,
        "options": {"queue": Queue(queues.REPORTS), "expires": queues.SWEEP_SECONDS},
    },
    "standings": {
        "task": queues.STANDINGS_TASK,
        "schedule": queues.STANDINGS_SECONDS,
        "options": {"queue": Queue(queues.PORTAL), "expires": queues.STANDINGS_SECONDS},
    },
    "data_set": {
        "task": "portal.make_data_set",
        "schedule": DATA_SET_SECONDS,
        "options": {"queue": Queue(queues.PORTAL), "expires": DATA_SET_SECONDS},
    },
    "sweep_submissions": {
        "task": "portal.sweep_submissions",
        "schedule": SUBMISSIONS_SECONDS,
        "options": {"queue": Queue(queues.PORTAL), "expires": SUBMISSIONS_SECONDS},
    },
}


def make_app(broker_url: str, role: queues.Role) -> Celery:
    """The app with the settings that were found to matter; no result backend, no autodiscovery, not the current app."""
    app = Celery(
        "portal",
        broker=broker_url,
        set_as_current=False,
        include=[TASKS],
        fixups=[],  # Celery's own makes this the default app of the whole process
    )
    app.conf.update(
        queues.app_settings(role),
        task_default_queue=queues.PORTAL,
        beat_schedule=BEAT,
        # Keeps no file: what is done every few seconds needs no memory of when it was done.
        beat_scheduler="celery.beat.Scheduler",
    )
    return app


def join_django(app: Celery) -> None:
    """Set Django up before this app's tasks are imported, and let no connection to the database outlive its use."""

    def before_tasks_are_imported(**_: object) -> None:
        django.setup()

    def around_a_task(task: "Task[..., object]", **_: object) -> None:
        if task.app is app:
            close_old_connections()

    def before_pool_processes_are_forked(**_: object) -> None:
        # Two processes that speak through one connection garble each other's answers.
        connections.close_all()

    _keep(signals.import_modules, before_tasks_are_imported, sender=app)
    _keep(signals.task_prerun, around_a_task)
    _keep(signals.task_postrun, around_a_task)
    _keep(signals.worker_init, before_pool_processes_are_forked)


def keep_reports_apart(app: Celery, queue: str) -> None:
    """Let a worker of the queue of reports forget every task that is not for it, before it takes a message."""

    def forget(sender: object, **_: object) -> None:
        if getattr(sender, "app", None) is app and queue == queues.REPORTS:
            for name in set(app.tasks) - queues.TASKS_OF_REPORTS:
                app.tasks.unregister(name)

    _keep(signals.worker_init, forget)


def _keep(signal: object, receiver: Callable[..., None], **more: object) -> None:
    """Connect for good: Celery forgets receivers that nobody else holds."""
    signal.connect(receiver, weak=False, **more)  # type: ignore[attr-defined]  # no stubs for signals


if not settings.configured:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
app = make_app(settings.BROKER_URL, queues.PORTAL_ROLES[settings.QUEUE])
join_django(app)
keep_reports_apart(app, settings.QUEUE)
