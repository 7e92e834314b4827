"""What the site's workers do: a name, a message, a call. Tasks are sent by name.

Each is made by ``@app.task(name=…, shared=False)``: a shared one would be every app's of the process. Hosts with a GPU
may write to the queue of reports, so its worker does only what ``queues.TASKS_OF_REPORTS`` names.
"""

import time
from functools import cached_property
from typing import TYPE_CHECKING
from uuid import UUID

from celery import Task
from django.conf import settings
from django.db import OperationalError, close_old_connections
from django.utils import timezone

from evaluation import queues
from evaluation.adapters.catalogue import packaged
from portal import dispatch as dispatching
from portal.celery import app
from portal.dispatch.desk import open_desk
from portal.dispatch.waking import wake
from portal.reports import Heard, hear
from portal.standings import refresh_standings as refresh
from portal.uploads import importing, intake, sweeping
from portal.uploads.submission_words import IMPORT_TASK, READ_TASK, SWEEP_TASK

if TYPE_CHECKING:
    TaskBase = Task[..., None]  # generic for the type checker alone
else:
    TaskBase = Task

# Together half of what a report may take: a database that restarts, or that let somebody else go first, loses none.
_AGAIN_SECONDS = (0.1, 1, 3, 6, 10, 10)


class DeskTask(TaskBase):
    """Celery makes one task object a process; what the process keeps hangs on it."""

    @cached_property
    def desk(self) -> dispatching.Desk:
        return open_desk(dispatching.CeleryBroker(self.app))


@app.task(name=queues.REPORT_TASK, base=DeskTask, bind=True, shared=False)
def store_report(self: DeskTask, kind: str, text: str) -> None:
    """Take one message of a worker, and send what it made room for."""
    heard = _hear(self, kind, text)
    if heard.queues:
        dispatching.dispatch(self.desk, at=timezone.now(), only=heard.queues)
    if heard.boards:
        wake(queues.STANDINGS_TASK)


@app.task(name=queues.SWEEP_TASK, base=DeskTask, bind=True, shared=False)
def sweep(self: DeskTask) -> None:
    """End what is heard of no more, and fill the queues."""
    dispatching.sweep(self.desk, at=timezone.now())
    dispatching.dispatch(self.desk, at=timezone.now())


@app.task(name=queues.DISPATCH_TASK, base=DeskTask, bind=True, shared=False)
def dispatch(self: DeskTask) -> None:
    """Fill the queues."""
    dispatching.dispatch(self.desk, at=timezone.now())


@app.task(name=READ_TASK, shared=False)
def read_submission(uid: str) -> None:
    """Read what was uploaded, up to the preview or a refusal."""
    intake.read_submission(UUID(uid))


@app.task(name=IMPORT_TASK, shared=False)
def import_submission(uid: str) -> None:
    """Store what its owner confirmed."""
    importing.import_submission(UUID(uid))


@app.task(name=SWEEP_TASK, shared=False)
def sweep_submissions() -> None:
    """Find submissions that a worker left, and uploads that nobody came back for."""
    sweeping.sweep(timezone.now())


@app.task(name="portal.make_data_set", shared=False)
def make_data_set() -> None:
    """Make the files of the public data set anew, if it is time."""
    from leaderboard.exports.data_set import making  # noqa: PLC0415 (of no use to other tasks, and 100 MB)

    making.renew_data_set(settings.DATA_SET, packaged().problems(), at=timezone.now())


@app.task(name=queues.STANDINGS_TASK, shared=False)
def refresh_standings() -> None:
    """Let boards look at what happened."""
    refresh(at=timezone.now())


def _hear(task: DeskTask, kind: str, text: str) -> Heard:
    for seconds in _AGAIN_SECONDS:
        try:
            return hear(kind, text, task.desk.store, at=timezone.now())
        except OperationalError:
            close_old_connections()
            time.sleep(seconds)
    return hear(kind, text, task.desk.store, at=timezone.now())
