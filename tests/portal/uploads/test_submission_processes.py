"""The real server and the real worker: a body that is too large is cut off, and a killed worker is followed."""

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from celery_process import REPOSITORY, CeleryProcess, celery_process, environment
from redis_server import private_server
from run_directories import RunShape, as_tar_gz, members

pytestmark = pytest.mark.broker
_SECONDS = 120.0
SUBMISSIONS = "/api/v1/submissions"
MAKE_TOKEN = """
from datetime import timedelta
from django.utils import timezone
from portal.accounts.models import User
from portal.api.models import Scope, Token
ada = User.objects.create_user("ada", email="ada@example.org")
ends_at = timezone.now() + timedelta(days=1)
print(Token.objects.make(ada, name="a", scope=Scope.SUBMIT, ends_at=ends_at)[1])
"""


@dataclass
class Site:
    """A server with its state folder; ``ask`` is one request with the token of its one account."""

    home: Path
    url: str
    port: int
    token: str

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, Any]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        try:
            names = {name.replace("_", "-"): value for name, value in headers.items()}
            told = {"Authorization": f"Token {self.token}", **names}
            connection.request(method, path, body, told)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def state(self, uid: str) -> str:
        return str(self.ask("GET", f"{SUBMISSIONS}/{uid}")[1]["state"])

    def uploaded(self, content: bytes) -> str:
        said = json.dumps({"name": "run.tar.gz", "size": len(content)}).encode()
        made = self.ask("POST", SUBMISSIONS, said, Content_Type="application/json")[1]
        kind = {"Content_Type": "application/octet-stream", "Upload_Offset": "0"}
        self.ask("PATCH", f"{SUBMISSIONS}/{made['uid']}/content", content, **kind)
        return str(made["uid"])

    def confirm(self, uid: str) -> None:
        said = json.dumps({"licence": "MIT", "consent": True}).encode()
        kind = {"Content_Type": "application/json"}
        assert self.ask("POST", f"{SUBMISSIONS}/{uid}/confirm", said, **kind)[0] == 200

    def change(self, statement: str) -> None:
        """Write to the database, as time that passes would."""
        with sqlite3.connect(self.home / "ptxboard.sqlite3", timeout=60) as database:
            database.execute(statement)


def eventually(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def a_site(home: Path, url: str) -> Iterator[Site]:
    told = environment(url=url, home=home)

    def manage(*words: str) -> str:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=REPOSITORY, env=told, capture_output=True, text=True, check=True
        )
        return done.stdout

    manage("migrate", "-v0")
    token = manage("shell", "-v0", "-c", MAKE_TOKEN).split()[-1]
    log = home / "server.log"
    command = (
        *("setpriv", "--pdeathsig", "KILL", "--", sys.executable, "-m", "gunicorn"),
        *("--no-control-socket", "--worker-class", "gthread", "--threads", "2"),
        *("--bind", "127.0.0.1:0", "portal.wsgi"),
    )
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=REPOSITORY, env=told, stderr=output)
    try:
        eventually(lambda: "Listening at: http://127.0.0.1:" in log.read_text())
        port = int(log.read_text().split("http://127.0.0.1:")[1].split()[0])
        yield Site(home, url, port, token)
    finally:
        server.terminate()
        server.wait(timeout=_SECONDS)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    home = tmp_path_factory.mktemp("site") / "home"
    home.mkdir()
    with private_server() as broker, a_site(home, broker.url) as started:
        yield started


def test_the_whole_way_with_a_worker_that_is_killed_at_both_steps(
    site: Site, tmp_path: Path
) -> None:
    def worker(folder: str) -> AbstractContextManager[CeleryProcess]:
        (tmp_path / folder).mkdir()
        return celery_process(
            url=site.url,
            home=site.home,
            folder=tmp_path / folder,
            app="portal.celery",
            PTXBOARD_QUEUE="portal",
        )

    lapse = "UPDATE uploads_submission SET lease_until = '2026-01-01' WHERE lease_until NOT NULL"
    with worker("first") as first:
        uid = site.uploaded(as_tar_gz(members(RunShape(trajectories=12))))
        eventually(lambda: site.state(uid) in {"reading", "understood"})
        os.killpg(first.process.pid, signal.SIGKILL)
    site.change(lapse)
    with worker("second") as second:
        wake(site, "portal.sweep_submissions")
        eventually(lambda: site.state(uid) == "understood")
        site.confirm(uid)
        eventually(lambda: site.ask("GET", f"{SUBMISSIONS}/{uid}")[1]["done"] > 0)
        os.killpg(second.process.pid, signal.SIGKILL)
    site.change(lapse)
    with worker("third"):
        wake(site, "portal.sweep_submissions")
        eventually(lambda: site.state(uid) == "imported")
        eventually(lambda: not (site.home / "spool" / UUID(uid).hex).exists())
    said = site.ask("GET", f"{SUBMISSIONS}/{uid}")[1]
    assert (said["done"], said["total"], said["problems"]) == (12, 12, [])
    turns = site.ask("GET", f"{SUBMISSIONS}/{uid}/turns")[1]
    assert (turns["count"], len(turns["trajectories"])) == (12, 12)
    assert {len(one["turns"]) for one in turns["trajectories"]} == {8}


def wake(site: Site, task: str) -> None:
    """Do what beat does."""
    code = f"from portal.celery import app; app.send_task({task!r})"
    told = environment(url=site.url, home=site.home)
    subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, env=told, check=True)


def test_a_body_beyond_the_limit_is_answered_before_it_is_sent(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=_SECONDS)
    connection.putrequest("POST", SUBMISSIONS)
    connection.putheader("Content-Length", str(10 << 30))
    connection.endheaders(b"only a little of it")
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["error"]) == (413, "too_large")
    connection.close()


def test_a_body_of_no_announced_length_is_refused(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=_SECONDS)
    connection.request("POST", SUBMISSIONS, iter([b"a part of it"]), encode_chunked=True)
    assert connection.getresponse().status == 411
    connection.close()


def test_a_client_that_goes_away_in_the_middle_goes_on_where_it_was(site: Site) -> None:
    content = as_tar_gz(members(RunShape(trajectories=3)))
    half = len(content) // 2
    said = json.dumps({"name": "run.tar.gz", "size": len(content)}).encode()
    made = site.ask("POST", SUBMISSIONS, said, Content_Type="application/json")[1]
    address = f"{SUBMISSIONS}/{made['uid']}/content"
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=_SECONDS)
    connection.putrequest("PATCH", address)
    for name, value in {
        "Authorization": f"Token {site.token}",
        "Content-Type": "application/octet-stream",
        "Upload-Offset": "0",
        "Content-Length": str(len(content)),
    }.items():
        connection.putheader(name, value)
    connection.endheaders(content[:half])
    connection.close()

    def received() -> int:
        return int(site.ask("GET", f"{SUBMISSIONS}/{made['uid']}")[1]["received"])

    eventually(lambda: received() == half)
    kind = {"Content_Type": "application/octet-stream", "Upload_Offset": str(half)}
    status, done = site.ask("PATCH", address, content[half:], **kind)
    assert (status, done["state"]) == (200, "received")
