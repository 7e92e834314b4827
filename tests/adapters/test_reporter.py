"""The reporter against a real broker, and against one that is not there."""

import json
from collections.abc import Iterator

import pytest
from broker_mail import open_mail
from kombu import Connection
from redis_server import private_server

from evaluation import queues
from evaluation.adapters.reporter import RETRY, QueueReporter
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import (
    Attempt,
    Heartbeat,
    Message,
    StageReported,
    Started,
    Versions,
)
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage
from evaluation.worker import make_app

ATTEMPT = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
STARTED = Started(Versions(), ATTEMPT, "prepare@host:1")
BEAT = Heartbeat(Versions(), ATTEMPT, "prepare@host:1", Stage.BUILD)
NO_PATIENCE = {"max_retries": 1, "interval_start": 0}
NOBODY = "redis+socket:///nonexistent/socket?virtual_host=0"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with private_server() as server:
        yield server.url


def reported(headline: str = "fine", log: str = "") -> StageReported:
    report = StageReport(Stage.POLICY, headline, log=log)
    return StageReported(Versions(), ATTEMPT, "prepare@host:1", 0, report)


@pytest.mark.broker
def test_messages_arrive_in_order_and_as_they_were(url: str) -> None:
    sent: list[Message] = [STARTED, reported("Übersetzt \u202e\x00"), reported(log="x" * 1_000_000)]
    reporter = QueueReporter(make_app(url))
    with open_mail(url) as mail:
        for one in sent:
            reporter.send(one)
        last = sent[-1]
        assert mail.until(ATTEMPT.uuid, lambda one: one == last) == sent


@pytest.mark.broker
def test_a_report_is_a_task_of_the_portal_and_shows_its_kind_alone(url: str) -> None:
    QueueReporter(make_app(url)).send(STARTED)
    with Connection(url) as connection:
        reports = connection.SimpleQueue(queues.REPORTS, no_ack=True)
        message = reports.get(timeout=30)
        reports.close()
    assert message.headers["task"] == "portal.store_report"
    assert message.headers["argsrepr"] == "Started"
    assert message.content_type == "application/json"
    assert "k" * 32 not in json.dumps(message.headers)


def test_a_message_that_is_too_large_for_the_broker_is_our_failure() -> None:
    reporter = QueueReporter(make_app("memory://"))
    with pytest.raises(ToolFailure, match=r"a StageReported message has 8\d{6} bytes"):
        reporter.send(reported(log="x" * 8 * 1024 * 1024))


@pytest.mark.parametrize("message", [STARTED, BEAT])
def test_a_broker_that_is_away_is_our_failure_with_what_to_do(message: Message) -> None:
    reporter = QueueReporter(make_app(NOBODY), retry=NO_PATIENCE)
    with pytest.raises(ToolFailure, match=f"did not take a {type(message).__name__}") as caught:
        reporter.send(message)
    assert caught.value.action == "check that the broker runs and that this host may reach it"


def test_a_beat_does_not_wait_as_long_as_a_report() -> None:
    """With a report's patience this would take most of a minute and meet the time limit of the tests."""
    patient = {**RETRY, "max_retries": 1_000}
    with pytest.raises(ToolFailure, match="Heartbeat"):
        QueueReporter(make_app(NOBODY), retry=patient).send(BEAT)
