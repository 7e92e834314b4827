"""Sends the portal's messages. Beside the workers' reporter the one place that does."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Protocol

from celery import Celery
from kombu import Connection, Queue
from kombu.exceptions import ChannelError, OperationalError

from evaluation.core.errors import ToolFailure

# Short: what could not be sent is sent by a later sweep, and a page or a report must not wait for a broker.
_RETRY: Final[Mapping[str, float]] = MappingProxyType({"max_retries": 1, "interval_start": 0.2})


class Broker(Protocol):
    """Both raise ToolFailure where the broker does not answer."""

    def send(self, queue: str, task: str, text: str, *, uid: str) -> None:
        """Hand over one message; ``uid`` names it in the worker's log."""
        ...

    def waiting(self, queue: str) -> int:
        """How many messages of the queue no worker has taken yet."""
        ...


class CeleryBroker:
    """The port over a Celery app."""

    def __init__(self, app: Celery) -> None:
        self._app = app

    def send(self, queue: str, task: str, text: str, *, uid: str) -> None:
        try:
            self._app.send_task(
                task,
                args=[text],
                argsrepr=uid,  # what logs and events show: a message holds its attempt's key
                task_id=uid,
                # An object, since a worker would take from a queue that the app knows by name.
                queue=Queue(queue),  # type: ignore[arg-type]  # the stubs know names alone
                ignore_result=True,
                retry=True,
                retry_policy=dict(_RETRY),
            )
        except OperationalError as error:
            raise _silent(error) from error

    def waiting(self, queue: str) -> int:
        try:
            with self._app.connection_for_write() as connection:
                connection.ensure_connection(max_retries=1, timeout=10)
                return _length(connection, queue)
        except OperationalError as error:
            raise _silent(error) from error


def _length(connection: Connection, queue: str) -> int:
    try:
        declared = connection.default_channel.queue_declare(queue, passive=True)  # type: ignore[attr-defined]  # of every transport
    except ChannelError:
        return 0  # a queue without messages does not exist
    except connection.connection_errors as error:
        raise OperationalError(str(error)) from error
    return int(declared.message_count)


def _silent(error: Exception) -> ToolFailure:
    return ToolFailure(
        f"the broker does not answer: {type(error).__name__}",
        action="check that the broker runs and that PTXBOARD_BROKER_URL names it",
    )
