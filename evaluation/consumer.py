"""How a worker takes messages: from its queue, with no word to other workers, and not while its pool takes none.

Celery's own ways for the same (remote control, gossip, events) are broadcasts through the broker. They need rights on
what every worker shares, and who has those may end any worker of the site. Here the pool's process and the one that
consumes have one byte of memory together, so a broker's user for one worker may be shut out of all else.
"""

import mmap
from typing import TYPE_CHECKING, Any

from celery import Celery, bootsteps
from celery.worker.consumer import Consumer

LOOK_SECONDS = 0.1
ASK_SECONDS = 10

if TYPE_CHECKING:
    from kombu.asynchronous import Hub


class Wanted:
    """Whether messages are wanted. Made before the pool forks, it is the same in all processes of a worker."""

    def __init__(self) -> None:
        self._byte = mmap.mmap(-1, 1)
        self.set(True)

    def set(self, wanted: bool) -> None:  # noqa: FBT001  # one meaning
        self._byte[0] = int(wanted)

    def __bool__(self) -> bool:
        return bool(self._byte[0])


WANTED = Wanted()


class Switch(bootsteps.StartStopStep):
    """Lets the consumer follow the word, also after it lost its broker and takes from all of its queues again."""

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def register_with_event_loop(self, consumer: Any, hub: "Hub") -> None:
        """Celery drops this entry with the connection, and asks for another one with the next."""
        hub.call_repeatedly(LOOK_SECONDS, follow, consumer, consumer.app.conf.task_default_queue)


class QuietConsumer(Consumer):
    """Celery's consumer without what it says to other workers, whatever the command line asks for."""

    def __init__(self, *args: Any, **options: Any) -> None:
        quiet = {
            "without_gossip": True,
            "without_mingle": True,
            "without_heartbeat": True,
            "task_events": False,
        }
        super().__init__(*args, **{**options, **quiet})


def follow(consumer: Any, queue: str, wanted: object = WANTED) -> None:
    """Take from the queue exactly when messages are wanted; a worker that is about to end takes none in any case."""
    if consumer.blueprint.state != bootsteps.RUN:  # type: ignore[attr-defined]  # not in the stubs
        return
    takes = consumer.task_consumer.consuming_from(queue)
    if wanted and not takes:
        consumer.add_task_queue(queue)
    elif takes and not wanted:
        consumer.cancel_task_queue(queue)


class Tether(bootsteps.StartStopStep):
    """Notices that the broker went away, also while a worker has all the messages that it may have and asks for none.

    An acknowledgement that fails then is forgotten, and the worker would wait for ever with its hands full. In other
    Celery workers the connection of remote control notices.
    """

    requires = ("celery.worker.consumer.tasks:Tasks",)

    def register_with_event_loop(self, consumer: Any, hub: "Hub") -> None:
        client = getattr(consumer.task_consumer.channel, "client", None)
        if client is None:  # a broker inside the process cannot go away
            return
        line = Line(client.connection_pool.get_connection())
        hub.add_reader(line.fileno(), line.hear)
        hub.call_repeatedly(ASK_SECONDS, line.ask)


class Line:
    """A connection to the broker on which nothing is said but whether it is there. Raise where it is not."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._asked = False

    def fileno(self) -> int:
        return int(self._connection._sock.fileno())  # noqa: SLF001 (it has no other name)

    def ask(self) -> None:
        if self._asked:
            raise ConnectionResetError("the broker does not answer")
        self._asked = True
        self._connection.send_command("PING")

    def hear(self) -> None:
        self._connection.read_response()
        self._asked = False


def consume_quietly(app: Celery) -> None:
    """Have the workers of this app consume this way. Remote control is a broadcast, and may end any worker."""
    app.conf.worker_consumer = f"{__name__}:{QuietConsumer.__name__}"
    app.conf.worker_enable_remote_control = False
    app.steps["consumer"].update((Switch, Tether))
