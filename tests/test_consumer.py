"""How a worker's consumer follows what its pool wants, and what it never says to others."""

import os
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest
from celery import bootsteps

from evaluation import queues
from evaluation.consumer import Line, Wanted, follow
from evaluation.worker import make_app

_QUEUE = "measure.h200"


@dataclass
class FakeConsumer:
    """Takes from the queue or not, and notes what it was told."""

    takes: bool
    state: int = bootsteps.RUN  # type: ignore[attr-defined]  # not in the stubs
    told: list[str] = field(default_factory=list)

    @property
    def blueprint(self) -> SimpleNamespace:
        return SimpleNamespace(state=self.state)

    @property
    def task_consumer(self) -> SimpleNamespace:
        return SimpleNamespace(consuming_from=lambda queue: self.takes and queue == _QUEUE)

    def add_task_queue(self, queue: str) -> None:
        self.told.append(f"take from {queue}")

    def cancel_task_queue(self, queue: str) -> None:
        self.told.append(f"leave {queue}")


@pytest.mark.parametrize(
    ("takes", "wanted", "told"),
    [
        pytest.param(True, True, [], id="takes and shall"),
        pytest.param(True, False, ["leave measure.h200"], id="takes and shall not"),
        pytest.param(False, True, ["take from measure.h200"], id="takes none and shall"),
        pytest.param(False, False, [], id="takes none and shall not"),
    ],
)
def test_a_consumer_is_told_only_what_it_does_not_do(
    takes: bool,
    wanted: bool,
    told: list[str],
) -> None:
    consumer = FakeConsumer(takes)
    word = Wanted()
    word.set(wanted)
    follow(consumer, _QUEUE, word)
    assert consumer.told == told


def test_a_consumer_that_was_stopped_for_the_end_is_not_started_again() -> None:
    consumer = FakeConsumer(takes=False, state=bootsteps.CLOSE)  # type: ignore[attr-defined]  # not in the stubs
    follow(consumer, _QUEUE, Wanted())
    assert consumer.told == []


def test_a_forked_process_and_its_parent_share_the_word() -> None:
    word = Wanted()
    child = os.fork()
    if child == 0:
        word.set(False)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not word


def test_messages_are_wanted_until_somebody_says_otherwise() -> None:
    assert Wanted()


def test_workers_of_the_judge_consume_this_way_and_hear_no_remote_control() -> None:
    app = make_app("memory://", queues.measurer("h200"))
    assert app.conf.worker_consumer == "evaluation.consumer:QuietConsumer"
    assert app.conf.worker_enable_remote_control is False


class FakeConnection:
    def __init__(self) -> None:
        self.sent: list[str] = []

    def send_command(self, word: str) -> None:
        self.sent.append(word)

    def read_response(self) -> str:
        return "PONG"


def test_a_broker_that_answers_is_asked_again_and_one_that_does_not_is_gone() -> None:
    connection = FakeConnection()
    line = Line(connection)
    line.ask()
    line.hear()
    line.ask()
    assert connection.sent == ["PING", "PING"]
    with pytest.raises(ConnectionResetError, match="the broker does not answer"):
        line.ask()
