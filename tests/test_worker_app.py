"""The Celery app of the evaluation side: its settings, its queues, and what it stays away from."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from broker_mail import job_of
from celery.app.defaults import SETTING_KEYS
from celery.exceptions import SoftTimeLimitExceeded
from celery_process import REPOSITORY, environment
from fake_adapters import FakeCompiler, Notebook
from fake_measurer import FakeMeasurer
from kombu.transport.redis import Channel
from sample_run import BUILT, handed_over, sample_tools
from sample_run import SOURCE as SAMPLE

from evaluation import queues
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.measure_wiring import equipment
from evaluation.adapters.station import Station
from evaluation.adapters.workspace import Workspace
from evaluation.core.compile.build import Program
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.ledger import Ledger, Loss
from evaluation.core.messages import Attempt, MeasureJob, Versions
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage, Target, Verdict
from evaluation.tasks import MeasureStages, PrepareStages, judged_job
from evaluation.worker import make_app, role_of

SOURCE = b"any source"


def run_python(code: str, **more: str) -> str:
    """What a fresh interpreter prints that is started as a worker is."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(url="memory://", home=Path("/nonexistent"), **more),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.strip()


@pytest.fixture
def with_django(tmp_path: Path) -> dict[str, str]:
    """An environment as a portal's shell has it: settings exported, and a Django to be found."""
    package = tmp_path / "django"
    package.mkdir()
    (package / "__init__.py").write_text("VERSION = (5, 2, 0)\n")
    (package / "conf.py").write_text("settings = None\n")
    return {
        "PYTHONPATH": f"{REPOSITORY}{os.pathsep}{tmp_path}",
        "DJANGO_SETTINGS_MODULE": "portal.settings",
    }


# Not "django": kombu's JSON looks for one lazy string class in it where it is installed, and loads no more than that.
LOADED = "import sys; print('django.conf' in sys.modules)"


def test_a_worker_loads_no_django_settings_even_where_they_are_exported(
    with_django: dict[str, str],
) -> None:
    assert run_python(f"import evaluation.tasks; {LOADED}", **with_django) == "False"


def test_an_app_with_celery_s_own_fixups_would_load_them(with_django: dict[str, str]) -> None:
    """The test above can fail: this is what it guards against."""
    code = f"import celery; celery.Celery('plain'); {LOADED}"
    assert run_python(code, **with_django) == "True"


def test_making_the_app_leaves_celery_s_current_app_alone() -> None:
    code = """
import celery
from evaluation.worker import app
print(celery.current_app.main, app.main)
"""
    assert run_python(code) == "default evaluation"


def test_an_app_that_is_made_as_usual_would_be_the_current_one() -> None:
    code = "import celery; celery.Celery('plain'); print(celery.current_app.main)"
    assert run_python(code) == "plain"


def test_the_app_knows_its_own_tasks_and_nothing_of_a_portal() -> None:
    code = """
from evaluation.tasks import app
app.finalize()
print(sorted(name for name in app.tasks if not name.startswith("celery.")))
"""
    assert run_python(code) == "['evaluation.measure', 'evaluation.prepare']"


def test_a_worker_takes_from_its_own_queue_and_accepts_json_alone() -> None:
    app = make_app("memory://")
    assert list(app.amqp.queues.consume_from) == [queues.PREPARE]
    assert app.conf.accept_content == ["json"]
    assert app.conf.result_backend is None


def test_a_worker_with_a_device_takes_prepared_kernels_of_that_product_alone() -> None:
    app = make_app("memory://", role_of({"PTXBOARD_DEVICE": "h200"}))
    assert list(app.amqp.queues.consume_from) == ["measure.h200"]
    assert app.conf.worker_concurrency == 1
    assert app.conf.worker_max_tasks_per_child is None
    assert app.conf.task_acks_late is True


@pytest.mark.parametrize("environment", [{}, {"PTXBOARD_DEVICE": ""}])
def test_a_worker_without_a_device_is_a_prepare_worker(environment: dict[str, str]) -> None:
    assert role_of(environment) == queues.PREPARER


def test_a_process_without_a_device_imports_nothing_of_a_gpu() -> None:
    code = """
import sys
import evaluation.tasks
print([one for one in ("cuda", "pynvml", "torch") if one in sys.modules])
"""
    assert run_python(code) == "[]"


@pytest.mark.parametrize(("word", "number"), [({}, 0), ({"PTXBOARD_GPU": "3"}, 3)])
def test_the_gpu_is_the_first_one_unless_a_number_is_given(
    word: dict[str, str], number: int
) -> None:
    assert run_python("import evaluation.worker as w; print(w.gpu())", **word) == str(number)


def test_a_gpu_that_is_no_number_is_refused_with_the_variable_s_name() -> None:
    code = """
import evaluation.worker as w
try:
    w.gpu()
except ValueError as error:
    print(error)
"""
    said = run_python(code, PTXBOARD_GPU="first")
    assert said == "PTXBOARD_GPU is 'first'; it must be a number from 0"


def test_every_setting_is_one_that_celery_knows() -> None:
    """Celery takes a misspelt setting without a word."""
    ours = set(make_app("memory://", queues.measurer("h200")).conf.changes or ())
    assert "task_acks_late" in ours
    assert ours - SETTING_KEYS == {"deprecated_settings"}  # Celery's own note


def test_every_transport_option_is_one_that_kombu_s_redis_transport_reads() -> None:
    options = queues.transport_options(visibility_seconds=900, unacked=queues.PREPARE)
    assert set(options) <= set(Channel.from_transport_options)
    assert "visibility_timeouts" not in Channel.from_transport_options


def test_the_book_of_unacknowledged_messages_is_one_a_queue() -> None:
    one = queues.transport_options(visibility_seconds=900, unacked="prepare")
    other = queues.transport_options(visibility_seconds=900, unacked="measure.h200")
    keys = ("unacked_key", "unacked_index_key", "unacked_mutex_key")
    assert all(one[key] != other[key] for key in keys)


def test_limits_of_time_that_do_not_rise_are_refused() -> None:
    with pytest.raises(ValueError, match="must rise in this order"):
        queues.TimeLimits(soft=10, hard=20, visibility=20)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"problem": "nothing_like_it"}, "nothing_like_it"),
        ({"device": "v100"}, "v100"),
        ({"problem_version": 2}, "gemm_n7168_k5120 has version 1 for hopper, blackwell here"),
        ({"device": "b200"}, "b200 is no hopper product"),
    ],
)
def test_what_a_portal_of_the_same_release_would_not_ask_is_our_failure(
    tmp_path: Path, change: dict[str, str], what: str
) -> None:
    job = replace(job_of(SOURCE, tmp_path), **change)  # type: ignore[arg-type]
    with pytest.raises(ToolFailure, match=what):
        judged_job(job, SOURCE)


def test_a_job_of_this_release_is_taken_with_its_problem_and_device(tmp_path: Path) -> None:
    job = judged_job(job_of(SOURCE, tmp_path), SOURCE)
    assert (job.source, job.problem.name, job.device.product) == (
        SOURCE,
        "gemm_n7168_k5120",
        "h200",
    )


def test_tools_that_did_not_open_are_tried_again_with_the_next_job(tmp_path: Path) -> None:
    stages = PrepareStages(Workspace(tmp_path))
    for _ in range(2):
        with pytest.raises(ToolFailure, match="toolchain is not installed"):
            next(stages(job_of(SOURCE, tmp_path), lambda _: None))


def test_a_kernel_that_holds_its_worker_too_long_is_given_up_and_noted(tmp_path: Path) -> None:
    """What a referee's own limits did not end is put down to the kernel: the next try is its last."""

    def never(*_: object, **__: object) -> Iterator[StageReport]:
        yield from ()
        raise SoftTimeLimitExceeded

    real = equipment(
        Workspace(tmp_path),
        device="h200",
        gpu=0,
        worker="measure@host:1",
        reporter=Notebook(),
        environment={},
    )
    fake = replace(real, judge=never, open_measurer=FakeMeasurer)
    stages = MeasureStages(Station(fake, lambda _: None))
    parts = handed_over(LocalArtifacts(tmp_path / "artifacts"))
    attempt = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
    job = MeasureJob(Versions(), attempt, parts, "gemm_n7168_k5120", 1, Target.HOPPER, "h200")
    what = "the GPU half took more than 600 s on this worker"
    for _ in range(2):
        with pytest.raises(ToolFailure, match=what):
            list(stages(job, lambda _: None))
    loss = Loss(parts.plan.sha256, what, by_time=True)
    assert fake.quarantine.read() == Ledger(losses=(loss, loss))
    (report,) = stages(job, lambda _: None)
    assert report.verdict is Verdict.TIMEOUT


def test_a_bug_in_the_gpu_half_is_no_loss_of_the_kernel(tmp_path: Path) -> None:
    def broken(*_: object, **__: object) -> Iterator[StageReport]:
        yield from ()
        raise RuntimeError("a bug")

    real = equipment(
        Workspace(tmp_path),
        device="h200",
        gpu=0,
        worker="measure@host:1",
        reporter=Notebook(),
        environment={},
    )
    fake = replace(real, judge=broken, open_measurer=FakeMeasurer)
    stages = MeasureStages(Station(fake, lambda _: None))
    parts = handed_over(LocalArtifacts(tmp_path / "artifacts"))
    attempt = Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)
    job = MeasureJob(Versions(), attempt, parts, "gemm_n7168_k5120", 1, Target.HOPPER, "h200")
    with pytest.raises(RuntimeError, match="a bug"):
        list(stages(job, lambda _: None))
    assert fake.quarantine.read() == Ledger()


def test_stages_that_take_too_long_together_are_our_failure(tmp_path: Path) -> None:
    """Celery raises its own exception wherever the process is when the soft limit comes."""

    class Slow(FakeCompiler):
        def build(self, source: bytes, target: Target) -> Program:
            raise SoftTimeLimitExceeded

    stages = PrepareStages(Workspace(tmp_path))
    stages.tools = replace(sample_tools(), compiler=Slow(BUILT))
    reports = stages(job_of(SAMPLE, tmp_path), lambda _: None)
    assert next(reports).stage is Stage.POLICY
    with pytest.raises(ToolFailure, match="took more than 2700 s together") as caught:
        next(reports)
    assert "overloaded" in caught.value.action
