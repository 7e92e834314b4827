"""The site's real worker of reports: it stores what workers say, and does nothing else that is put into its queue."""

import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from celery_process import REPOSITORY, CeleryProcess, celery_process, environment
from kombu import Queue
from redis_server import private_server

from evaluation import queues
from evaluation.adapters.reporter import QueueReporter
from evaluation.core.messages import DeviceHeartbeat, Versions
from evaluation.worker import make_app as make_judge
from portal.celery import make_app

pytestmark = pytest.mark.broker

WAIT_SECONDS = 120.0


def migrate(home: Path) -> Path:
    """Make the site's database in its state folder, and say where it is."""
    done = subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=REPOSITORY,
        env=environment(url="redis://127.0.0.1:1/0", home=home),
        check=False,
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    (found,) = home.glob("*.sqlite3")
    return found


def workers(database: Path) -> list[str]:
    with closing(sqlite3.connect(database, timeout=20)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM evaluation_worker")]


def until(happened: Callable[[], bool], worker: CeleryProcess) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not happened():
        assert time.monotonic() < deadline, worker.said()
        time.sleep(0.1)


def test_it_stores_a_worker_s_beat_sweeps_and_forgets_every_other_task(tmp_path: Path) -> None:
    database = migrate(tmp_path)
    with (
        private_server() as server,
        celery_process(
            url=server.url,
            home=tmp_path,
            folder=tmp_path,
            app="portal.celery",
            PTXBOARD_QUEUE=queues.REPORTS,
        ) as worker,
    ):
        site = make_app(server.url, queues.PORTAL_ROLES[queues.REPORTS])
        for task in (queues.STANDINGS_TASK, queues.SWEEP_TASK):
            site.send_task(task, queue=Queue(queues.REPORTS))  # type: ignore[arg-type]  # as dispatch
        reporter = QueueReporter(make_judge(server.url))
        reporter.send(DeviceHeartbeat(Versions(), "m@1", "h200", None, "", ""))
        until(lambda: workers(database) == ["m@1"], worker)
        until(lambda: worker.said().count("succeeded in") == 2, worker)
        said = worker.said()
    assert "Received unregistered task of type 'portal.refresh_standings'" in said
    assert "Task portal.sweep[" in said
    assert "Task portal.store_report[" in said
