"""A broker that answers and takes nothing more, as one whose memory is full, is like one that is away."""

from collections.abc import Iterator

import pytest
from kombu import Connection
from pytest_django import DjangoCaptureOnCommitCallbacks
from redis_server import PrivateServer, private_server

from evaluation import queues
from evaluation.core.errors import ToolFailure
from portal.celery import make_app
from portal.dispatch import CeleryBroker, waking

pytestmark = [pytest.mark.django_db, pytest.mark.broker]


@pytest.fixture
def full() -> Iterator[PrivateServer]:
    with private_server() as server:
        with Connection(server.url) as connection:
            client = connection.default_channel.client  # type: ignore[attr-defined]  # of this transport
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "1")
        yield server


def test_a_message_that_it_does_not_take_is_our_tool_s_failure(full: PrivateServer) -> None:
    broker = CeleryBroker(make_app(full.url, queues.PORTAL_ROLES[queues.REPORTS]))
    with pytest.raises(ToolFailure, match="the broker does not"):
        broker.send("prepare", "evaluation.prepare", "{}", uid="1")


def test_what_was_committed_stands_though_nobody_could_be_woken(
    full: PrivateServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    app = make_app(full.url, queues.PORTAL_ROLES[queues.PORTAL])
    monkeypatch.setattr(waking, "app", app)
    with django_capture_on_commit_callbacks(execute=True):
        waking.wake("portal.read_submission", "1")
        waking.wake_dispatch()
    said = [one.getMessage() for one in caplog.records if "was not sent" in one.getMessage()]
    assert len(said) == 2
