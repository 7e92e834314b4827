"""Wakes the site's own workers once what they are to look at is committed; the next sweep finds what was lost here."""

import logging
from functools import partial

from django.db import transaction
from kombu import Queue
from kombu.exceptions import OperationalError

from evaluation import queues
from portal.celery import app

log = logging.getLogger(__name__)

_RETRY = {"max_retries": 1, "interval_start": 0.2}


def wake_dispatch() -> None:
    """Let the queues be filled, after the transaction at hand."""
    transaction.on_commit(partial(_send, queues.DISPATCH_TASK, (), queues.REPORTS))


def wake(task: str, *words: str | int) -> None:
    """Let a worker of the queue ``portal`` do a task by its name, after the transaction at hand."""
    transaction.on_commit(partial(_send, task, words, queues.PORTAL))


def _send(task: str, words: tuple[str | int, ...], queue: str) -> None:
    try:
        app.send_task(
            task,
            args=list(words),
            queue=Queue(queue),  # type: ignore[arg-type]  # the stubs know names alone
            ignore_result=True,
            retry=True,
            retry_policy=_RETRY,
        )
    except OperationalError as error:
        log.warning("%s was not sent: the broker does not answer: %s", task, type(error).__name__)
