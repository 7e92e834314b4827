"""Sends a worker's messages to the portal's report queue. The one place of the evaluation side that sends."""

from celery import Celery
from kombu.exceptions import OperationalError

from evaluation import queues
from evaluation.core import wire
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import Message

# About a minute in all: longer than a broker's restart, shorter than the lease of the attempt.
_RETRY = {"max_retries": 12, "interval_start": 0, "interval_step": 1, "interval_max": 6}


class QueueReporter:
    """The reporter port over a Celery app; the app's own connection is used and nothing is awaited."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def send(self, message: Message) -> None:
        kind = type(message).__name__
        content = wire.encode(message)
        if len(content) > queues.MESSAGE_LIMIT_BYTES:
            raise ToolFailure(
                f"a {kind} message has {len(content)} bytes; at most {queues.MESSAGE_LIMIT_BYTES} are sent"
            )
        try:
            self._app.send_task(
                queues.REPORT_TASK,
                args=[kind, content.decode()],
                queue=queues.REPORTS,
                ignore_result=True,
                retry=True,
                retry_policy=_RETRY,
            )
        except OperationalError as error:
            raise ToolFailure(
                f"the broker did not take a {kind} message: {error}",
                action="check that the broker runs and that this host may reach it",
            ) from error
