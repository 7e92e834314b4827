"""The judge's real tools for tests marked ``toolchain``: skipped with a reason where they are not installed.

The site is set up when a folder of tests that need it is collected.
"""

import importlib.util
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import chromium_browser
import django_site
import pytest
from postgres_server import NoPostgres, private_postgres

from evaluation.adapters.nvcc import Nvcc, slim_headers
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.toolchain import Toolchain, identify, locate
from evaluation.adapters.wiring import create, prepare_tools
from evaluation.adapters.workspace import Workspace, default_home
from evaluation.core.errors import CannotJail, ToolMissing
from evaluation.core.pipeline import Tools
from evaluation.core.ports import JailCommand, Limits

REPOSITORY = Path(__file__).parents[1]

# A shell that starts the suite in the background lets it ignore SIGINT, nohup SIGHUP, and every program that a test
# starts would, too. Whoever wanted the suite itself to outlive a hang-up still has that: it hears one and does nothing.
signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda _number, _frame: None)

# A busy machine may stop for seconds at any place; how long one example takes is no property of ours. A machine with a
# GPU may have no Hypothesis, and its tests need none.
if importlib.util.find_spec("hypothesis") is not None:
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "patient", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--postgres",
        action="store_true",
        help="run the tests of rows on a private PostgreSQL instead of SQLite",
    )
    parser.addoption(
        "--chromium",
        action="store_true",
        help="run nothing where there is no Chromium, instead of skipping the tests that drive one",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start the one cluster of the run; workers of xdist find its address in what they inherit."""
    if config.getoption("--chromium") and not chromium_browser.is_there():
        raise pytest.UsageError(f"--chromium {chromium_browser.MISSING}")
    if not config.getoption("--postgres") or hasattr(config, "workerinput"):
        return
    cluster = ExitStack()
    try:
        server = cluster.enter_context(private_postgres())
    except NoPostgres as missing:
        raise pytest.UsageError(str(missing)) from None
    config.add_cleanup(cluster.close)
    os.environ[django_site.DATABASE] = server.url


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> None:
    """Set Django up before the first module is imported that may need it."""
    if path.parent == REPOSITORY / "tests" and path.name in django_site.FOLDERS:
        if django_site.is_loaded() or not django_site.is_installed():
            return
        home = Path(tempfile.mkdtemp(prefix="ptxboard-tests-"))
        parent.config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
        django_site.load(home)


@pytest.fixture(scope="session", autouse=True)
def no_unasked_database(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that is not marked ``django_db`` reaches no database."""
    if not django_site.is_loaded():
        yield
        return
    with request.getfixturevalue("django_db_blocker").block():
        yield


SMALL = Limits(
    wall_seconds=60,
    cpu_seconds=20,
    memory_bytes=1 << 30,
    file_bytes=64 << 20,
    scratch_bytes=64 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=64 << 10,
    stderr_bytes=64 << 10,
)


@pytest.fixture(scope="session")
def workspace() -> Workspace:
    """The state folder of this machine, where bin/setup has installed the toolchain."""
    found = Workspace(default_home(os.environ, uid=os.geteuid()))
    create(found)
    return found


@pytest.fixture(scope="session")
def jail(workspace: Workspace) -> Bubblewrap:
    jail = Bubblewrap((workspace.toolchains,), workspace.slots)
    try:
        jail.run(JailCommand(("/usr/bin/true",), SMALL))
    except CannotJail as refused:
        pytest.skip(f"this host cannot jail: {refused}; {refused.action}")
    return jail


@pytest.fixture(scope="session")
def toolchain(workspace: Workspace, jail: Bubblewrap) -> Toolchain:
    requirements = (REPOSITORY / "requirements/toolchain.txt").read_bytes()
    try:
        return identify(locate(workspace.toolchains, requirements), jail, native="tests")
    except ToolMissing as missing:
        pytest.skip(f"{missing}; {missing.action}")


@pytest.fixture(scope="session")
def compiler(jail: Bubblewrap, toolchain: Toolchain) -> Nvcc:
    """The compiler without a cache: every call compiles."""
    return Nvcc(jail, toolchain, slim_headers(REPOSITORY / "evaluation/native/slim/include"))


@pytest.fixture(scope="session")
def tools(workspace: Workspace, toolchain: Toolchain) -> Tools:
    """The judge as the command line wires it, with its caches."""
    assert toolchain.root.exists()
    return prepare_tools(workspace)
