"""A worker whose user of the broker has the rights that docs/operations.md names: it works, and reaches nothing else."""

import socket
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from broker_mail import open_mail
from kombu import Connection
from redis import Redis
from redis.exceptions import NoPermissionError
from redis_server import private_server
from test_worker_measuring import Machine

from evaluation import queues
from evaluation.core.messages import CanaryReported, HalfFinished
from evaluation.core.verdict import Verdict

pytestmark = pytest.mark.broker

_PAGE = Path(__file__).parents[1] / "docs" / "operations.md"
_OWN = "measure.h200"


@dataclass
class LimitedBroker:
    """A private server whose user for one host has the documented rights; ``owner`` may do everything."""

    machine: Machine
    owner: Redis
    url: str

    @property
    def theirs(self) -> Redis:
        return Redis.from_url(self.url)

    def refused(self) -> list[str]:
        """What the server refused so far: user and command or key."""
        log = self.owner.execute_command("ACL", "LOG")  # type: ignore[no-untyped-call]
        return [str(one) for one in log]


def documented_rights() -> list[str]:
    """The words behind ``ACL SETUSER NAME`` on the page."""
    _, _, behind = _PAGE.read_text().partition("ACL SETUSER measure-h200 ")
    rights, end, _ = behind.partition("```")
    assert end
    return rights.split()


def free_port() -> int:
    with closing(socket.socket()) as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[LimitedBroker]:
    (tmp_path / "home" / "artifacts").mkdir(parents=True)
    with private_server() as server, open_mail(server.url) as mail:
        owner: Redis = Redis(unix_socket_path=str(server.folder / "socket"))
        port = free_port()
        owner.config_set("port", port)
        owner.execute_command("ACL", "SETUSER", "measure-h200", *documented_rights())  # type: ignore[no-untyped-call]
        machine = Machine(mail, tmp_path)
        machine.gpu("well")
        url = f"redis://measure-h200:PASSWORD@127.0.0.1:{port}/0"
        yield LimitedBroker(machine, owner, url)
        owner.close()


def test_a_worker_with_the_documented_rights_judges_a_kernel_and_is_refused_nothing(
    broker: LimitedBroker,
) -> None:
    machine = broker.machine
    job = machine.job()
    with machine.worker(url=broker.url) as worker:
        machine.mail.send(job)
        finished = machine.mail.until_end(job.attempt.uuid)[-1]
        machine.beats_until(lambda beat: beat.seen is not None)
        worker.ask_to_end()
        assert worker.ended() == 0
    assert isinstance(finished, HalfFinished)
    assert finished.verdict is Verdict.ACCEPTED
    assert any(isinstance(one, CanaryReported) for one in machine.mail.seen)
    assert broker.refused() == []


def test_such_a_worker_still_stops_taking_while_its_gpu_rests(broker: LimitedBroker) -> None:
    machine = broker.machine
    job = machine.job()
    machine.gpu("slow")
    with machine.worker(url=broker.url):
        for _ in range(2):
            machine.beats_until(lambda beat: bool(beat.resting))
        machine.mail.send(job)
        for _ in range(2):
            machine.beats_until(lambda beat: bool(beat.resting))
        assert machine.mail.of(job.attempt.uuid) == []
        assert broker.owner.llen(_OWN) == 1
        machine.gpu("well")
        finished = machine.mail.until_end(job.attempt.uuid)[-1]
    assert isinstance(finished, HalfFinished)
    assert broker.refused() == []


def test_a_message_that_was_not_acknowledged_is_handed_out_again_with_these_rights(
    broker: LimitedBroker,
) -> None:
    options = queues.transport_options(visibility_seconds=0, unacked=_OWN)
    broker.machine.mail.send(broker.machine.job())
    with Connection(broker.url, transport_options=options) as connection:
        taken = connection.SimpleQueue(_OWN, queue_opts={"no_declare": True})
        taken.get(timeout=10)
        assert broker.owner.llen(_OWN) == 0
        taken.channel.qos.restore_visible(interval=1)  # type: ignore[attr-defined]  # of this transport
        assert broker.owner.llen(_OWN) == 1
        assert broker.refused() == []


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param("BRPOP measure.b200 1", id="another host's queue"),
        pytest.param("LPUSH measure.b200 x", id="a job for another host"),
        pytest.param("LPUSH prepare x", id="a job for a prepare worker"),
        pytest.param("HGET unacked.measure.b200 x", id="what another host has at hand"),
        pytest.param("GET :1:page", id="a page that is kept"),
        pytest.param("BRPOP portal.reports 1", id="reports of others, with their keys"),
        pytest.param("LLEN portal.reports", id="how many reports wait"),
        pytest.param("LPUSH portal x", id="a task of the site"),
        pytest.param("PUBLISH /0.celery.pidbox x", id="remote control"),
        pytest.param("SUBSCRIBE /0.celeryev/worker.#", id="what other workers say"),
        pytest.param("KEYS *", id="names of keys"),
        pytest.param("FLUSHALL", id="everything"),
        pytest.param("ACL LIST", id="other users"),
        pytest.param("CONFIG GET *", id="the server's settings"),
    ],
)
def test_such_a_user_can_neither_read_nor_disturb_what_is_not_its_own(
    broker: LimitedBroker, asked: str
) -> None:
    with pytest.raises(NoPermissionError):
        broker.theirs.execute_command(*asked.split())  # type: ignore[no-untyped-call]


def test_no_worker_listens_to_a_broadcast(broker: LimitedBroker) -> None:
    with broker.machine.worker(url=broker.url):
        broker.machine.beats_until(lambda beat: beat.seen is not None)
        assert broker.owner.execute_command("PUBSUB", "CHANNELS") == []  # type: ignore[no-untyped-call]
        assert broker.owner.execute_command("PUBSUB", "NUMPAT") == 0  # type: ignore[no-untyped-call]
