"""The Celery app of the site: its settings, its queues, and that it and the judge's leave each other alone."""

import subprocess
import sys
from pathlib import Path

import pytest
from celery.app.defaults import SETTING_KEYS
from celery_process import celery_process, environment
from redis_server import private_server

from evaluation import queues
from portal.celery import make_app

PORTAL = queues.PORTAL_ROLES[queues.PORTAL]
REPORTS = queues.PORTAL_ROLES[queues.REPORTS]


def run_python(code: str, home: Path, **more: str) -> str:
    """What a fresh interpreter prints that is started as a worker of the site is."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(url="redis://127.0.0.1:1/0", home=home, **more),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


def test_both_apps_in_one_process_keep_their_tasks_and_brokers_apart(tmp_path: Path) -> None:
    code = """
import celery
from portal.celery import app as portal
from evaluation.tasks import app as judge
from portal.celery import make_app
portal.loader.import_default_modules()
own = lambda app: sorted(name for name in app.tasks if not name.startswith("celery."))
print(any(name.startswith("evaluation.") for name in own(portal)), own(judge))
print(celery.current_app.main)
print(list(portal.amqp.queues.consume_from), list(judge.amqp.queues.consume_from))
"""
    assert run_python(code, tmp_path).splitlines() == [
        "False ['evaluation.measure', 'evaluation.prepare']",
        "default",
        "['portal'] ['prepare']",
    ]


@pytest.mark.parametrize("queue", ["portal", "portal.reports"])
def test_a_worker_takes_from_the_queue_that_its_environment_names(
    tmp_path: Path, queue: str
) -> None:
    code = "from portal.celery import app; print(list(app.amqp.queues.consume_from))"
    assert run_python(code, tmp_path, PTXBOARD_QUEUE=queue) == f"['{queue}']"


def test_the_site_s_models_are_loaded_before_its_tasks_are_imported(tmp_path: Path) -> None:
    code = """
from portal.celery import app
from django.apps import apps
before = apps.ready
app.loader.import_default_modules()
print(before, apps.ready)
"""
    assert run_python(code, tmp_path) == "False True"


def test_a_worker_of_the_judge_loads_no_part_of_the_site_even_where_its_settings_are_exported(
    tmp_path: Path,
) -> None:
    code = """
import sys
import evaluation.tasks
evaluation.tasks.app.loader.import_default_modules()
unwanted = ("django.conf", "django.db", "portal", "leaderboard", "evaluation.models")
print([name for name in unwanted if name in sys.modules])
"""
    assert run_python(code, tmp_path, DJANGO_SETTINGS_MODULE="portal.settings") == "[]"


def test_every_setting_is_one_that_celery_knows() -> None:
    """Celery takes a misspelt setting without a word."""
    ours = set(make_app("memory://", PORTAL).conf.changes or ())
    assert "task_acks_late" in ours
    assert ours - SETTING_KEYS == {"deprecated_settings"}  # Celery's own note


def test_the_books_of_unacknowledged_messages_are_apart_for_every_queue() -> None:
    roles = [PORTAL, REPORTS, queues.PREPARER, queues.measurer("h200")]
    books = {
        queues.transport_options(visibility_seconds=role.limits.visibility, unacked=role.queue)[
            "unacked_key"
        ]
        for role in roles
    }
    assert len(books) == 4


def test_a_worker_of_the_site_keeps_no_result_and_takes_json_alone() -> None:
    app = make_app("memory://", REPORTS)
    assert app.conf.accept_content == ["json"]
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_soft_time_limit == 60
    assert app.conf.result_backend is None


@pytest.mark.broker
def test_a_worker_of_the_site_starts_on_a_real_broker_and_ends_when_it_is_asked(
    tmp_path: Path,
) -> None:
    with (
        private_server() as server,
        celery_process(
            url=server.url, home=tmp_path, folder=tmp_path, app="portal.celery"
        ) as worker,
    ):
        worker.ask_to_end()
        ended = worker.ended()
    assert ended == 0
