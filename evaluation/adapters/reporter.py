"""Sends a worker's messages to the portal's report queue. The one place of the evaluation side that sends."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from celery import Celery
from kombu import Queue
from kombu.exceptions import OperationalError

from evaluation import queues
from evaluation.core import wire
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import DeviceHeartbeat, Heartbeat, Message

# About a minute in all: longer than a broker's restart.
RETRY: Final[Mapping[str, float]] = MappingProxyType(
    {"max_retries": 12, "interval_start": 0, "interval_step": 1, "interval_max": 6}
)
# The next beat is as good, and a run must not wait at its end for a beat that is being tried again.
_RETRY_BEAT: Final[Mapping[str, float]] = MappingProxyType({"max_retries": 1, "interval_start": 0})


class QueueReporter:
    """The reporter port over a Celery app; the app's own connection is used and nothing is awaited."""

    def __init__(self, app: Celery, *, retry: Mapping[str, float] = RETRY) -> None:
        self._app = app
        self._retry = retry

    def send(self, message: Message) -> None:
        kind = type(message).__name__
        content = wire.encode(message)
        if len(content) > queues.MESSAGE_LIMIT_BYTES:
            raise ToolFailure(
                f"a {kind} message has {len(content)} bytes; at most {queues.MESSAGE_LIMIT_BYTES} are sent",
                action="report this as a bug of ptxboard: stages bound their reports below this size",
            )
        beat = isinstance(message, Heartbeat | DeviceHeartbeat)
        retry = _RETRY_BEAT if beat else self._retry
        try:
            self._app.send_task(
                queues.REPORT_TASK,
                args=[kind, content.decode()],
                argsrepr=kind,  # what logs and events show: a message holds its attempt's key
                # An object, since a worker would take from a queue that the app knows by name.
                queue=Queue(queues.REPORTS),  # type: ignore[arg-type]  # the stubs know names alone
                # Nothing to declare: that would read the queue's length, and a worker may only write to it.
                declare=[],
                ignore_result=True,
                retry=True,
                retry_policy=dict(retry),
            )
        except OperationalError as error:
            raise ToolFailure(
                f"the broker did not take a {kind} message: {error}",
                action="check that the broker runs and that this host may reach it",
            ) from error
