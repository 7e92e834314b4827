"""The whole way over a real Redis: the site sends, a worker answers through its own reporter, the site's task hears."""

import json
from collections.abc import Iterator
from pathlib import Path

import evaluation_rows as rows
import pytest
from celery import Celery
from dispatch_doubles import ACCEPTED, TARGETS, FakeStore, prepared
from django.utils import timezone
from kombu import Connection
from kombu.simple import SimpleQueue
from redis_server import PrivateServer, private_server

from evaluation import attempt, queues
from evaluation.adapters.reporter import QueueReporter
from evaluation.core.errors import ToolFailure
from evaluation.core.messages import DeviceHeartbeat, MeasureJob, PrepareJob, Versions
from evaluation.models import Run, Worker
from evaluation.worker import make_app as make_judge
from portal import tasks
from portal.celery import make_app
from portal.dispatch import CeleryBroker, Desk, dispatch
from portal.dispatch.desk import open_desk

pytestmark = [pytest.mark.django_db, pytest.mark.broker]


@pytest.fixture
def server() -> Iterator[PrivateServer]:
    with private_server() as started:
        yield started


def site(server: PrivateServer) -> Celery:
    return make_app(server.url, queues.PORTAL_ROLES[queues.REPORTS])


def take(server: PrivateServer, queue: str) -> list[object]:
    """The positional arguments of the next message, which is gone then."""
    with Connection(server.url) as connection:
        waiting: SimpleQueue = connection.SimpleQueue(queue, no_ack=True)
        payload = waiting.get(timeout=60).payload
        waiting.close()
    body = json.loads(payload) if isinstance(payload, str) else payload
    return list(body[0])


def hear_all(server: PrivateServer, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the site's own task do what waits in the queue of reports."""
    monkeypatch.setattr(tasks.DeskTask, "desk", desk)
    while desk.broker.waiting(queues.REPORTS):
        kind, text = take(server, queues.REPORTS)
        tasks.store_report.run(kind, text)


def test_a_run_is_sent_prepared_measured_and_finished(
    server: PrivateServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FakeStore()
    desk = Desk(CeleryBroker(site(server)), store, TARGETS)
    reporter = QueueReporter(make_judge(server.url))
    reporter.send(DeviceHeartbeat(Versions(), "m@1", "h200", None, "", ""))
    hear_all(server, desk, monkeypatch)
    run = rows.run()

    assert dispatch(desk, at=timezone.now()) == 1
    assert desk.broker.waiting("prepare") == 1
    (job,) = take(server, "prepare")
    preparing: attempt.Desk[PrepareJob] = attempt.Desk(
        "p@1", reporter, lambda *_: iter(prepared(store)), heartbeat_seconds=60
    )
    attempt.prepare(str(job), preparing)
    hear_all(server, desk, monkeypatch)
    run.refresh_from_db()
    assert run.state == "measuring"

    (job,) = take(server, "measure.h200")
    measuring: attempt.Desk[MeasureJob] = attempt.Desk(
        "m@1", reporter, lambda *_: iter(ACCEPTED), heartbeat_seconds=60
    )
    attempt.measure(str(job), measuring)
    hear_all(server, desk, monkeypatch)
    run.refresh_from_db()
    assert (run.state, run.verdict, run.ratio) == ("finished", "accepted", 0.7621)
    assert set(Worker.objects.values_list("name", flat=True)) == {"m@1", "p@1"}
    assert Run.objects.count() == 1


def test_the_message_names_its_attempt_and_hides_its_key_from_logs(server: PrivateServer) -> None:
    desk = Desk(CeleryBroker(site(server)), FakeStore(), TARGETS)
    run = rows.run()
    dispatch(desk, at=timezone.now())
    with Connection(server.url) as connection:
        waiting = connection.SimpleQueue("prepare", no_ack=True)
        headers = waiting.get(timeout=60).headers
        waiting.close()
    uid = str(run.attempts.get().uid)
    assert (headers["id"], headers["argsrepr"], headers["task"]) == (
        uid,
        uid,
        "evaluation.prepare",
    )


def test_an_empty_queue_has_no_messages_and_a_broker_that_is_gone_is_named(
    server: PrivateServer,
) -> None:
    broker = CeleryBroker(site(server))
    assert broker.waiting("measure.h200") == 0
    broker.send("measure.h200", "evaluation.measure", "{}", uid="one")
    broker.send("measure.h200", "evaluation.measure", "{}", uid="two")
    assert broker.waiting("measure.h200") == 2
    server.kill()
    with pytest.raises(ToolFailure, match="the broker does not answer"):
        broker.waiting("measure.h200")
    with pytest.raises(ToolFailure, match="the broker does not answer"):
        broker.send("measure.h200", "evaluation.measure", "{}", uid="three")


def test_the_state_folder_is_where_the_site_s_artifacts_are(
    tmp_path: Path, settings: object
) -> None:
    settings.HOME = tmp_path  # type: ignore[attr-defined]  # pytest-django's settings
    opened = open_desk(CeleryBroker(make_app("memory://", queues.PORTAL_ROLES["portal"])))
    ref = opened.store.put("source", b"bytes")
    assert (tmp_path / "artifacts" / ref.sha256[:2] / ref.sha256[2:]).read_bytes() == b"bytes"
    assert opened.targets["h200"] == "hopper"
