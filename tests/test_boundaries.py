"""Rules of the house that an import contract cannot say, read from the syntax tree. Each is shown a module that breaks it."""

import ast
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]
PACKAGES = ("evaluation", "leaderboard", "portal")

LINES = 450

# What ends in a slash is a folder, in which some module does it.
STARTS_PROCESSES = frozenset(
    {
        "evaluation/adapters/sandbox.py",
        "evaluation/adapters/trusted_process.py",
        "portal/quickstart/",  # the product's own programs
    }
)
# Entry points. workspace.default_home takes the mapping as an argument.
READS_ENVIRONMENT = frozenset(
    {
        "evaluation/cli/main.py",
        "evaluation/cli/paper.py",
        "evaluation/worker.py",
        "portal/celery.py",
        "portal/env.py",
        "portal/quickstart/__main__.py",
        "portal/wsgi.py",
    }
)
SENDS_MESSAGES = frozenset(
    {
        "evaluation/adapters/reporter.py",
        "portal/dispatch/broker.py",  # attempts
        "portal/dispatch/waking.py",  # the site's own tasks
    }
)
# Where a task of the site meets an upload: what failed may quote it, secrets too, and Celery would log that.
ENDS_A_TASK = frozenset({"portal/uploads/failures.py"})
NOBODY: frozenset[str] = frozenset()

_PROCESS_MODULES = {"subprocess", "multiprocessing", "pty", "popen2"}
_PROCESS_CALLS = ("posix_spawn", "fork", "exec", "spawn", "system", "popen", "startfile")
_ENVIRONMENT = {"environ", "environb", "getenv", "getenvb", "putenv", "unsetenv"}
_SENDING = {"send_task", "apply_async", "delay", "delay_on_commit", "signature", "basic_publish"}
_NO_MODULES = {"utils", "util", "common", "helpers", "helper", "lib", "misc", "shared"}

Check = Callable[[Path, ast.Module], Iterator[str]]


def modules(root: Path, below: Sequence[str]) -> Iterator[tuple[str, Path, ast.Module]]:
    """Every Python file that a person wrote below these folders of ``root``: its place, its path, its syntax tree."""
    for folder in below:
        for path in sorted((root / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(root).as_posix(), path, ast.parse(path.read_text())


def is_in(place: str, allowed: str) -> bool:
    return place.startswith(allowed) if allowed.endswith("/") else place == allowed


def breaches(
    root: Path, check: Check, allowed: frozenset[str] = NOBODY, below: Sequence[str] = (".",)
) -> list[str]:
    return [
        f"{place}: {what}"
        for place, path, tree in modules(root, below)
        if not any(is_in(place, one) for one in allowed)
        for what in check(path, tree)
    ]


def imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(module, name) of every import; the name is empty where a whole module is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def attributes(tree: ast.Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno


def starts_processes(_: Path, tree: ast.Module) -> Iterator[str]:
    for module, name in imported(tree):
        if module.partition(".")[0] in _PROCESS_MODULES:
            yield f"imports {module}"
        if module in ("os", "posix", "asyncio") and name.startswith(
            (*_PROCESS_CALLS, "create_subprocess")
        ):
            yield f"imports {name} of {module}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            starts = node.attr.startswith((*_PROCESS_CALLS, "create_subprocess"))
            if node.value.id in ("os", "posix", "asyncio") and starts:
                yield f"line {node.lineno}: {node.value.id}.{node.attr}"


def reads_environment(_: Path, tree: ast.Module) -> Iterator[str]:
    for module, name in imported(tree):
        if module in ("os", "posix") and name in _ENVIRONMENT:
            yield f"imports {name} of {module}"
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in _ENVIRONMENT
            and isinstance(node.value, ast.Name)
            and node.value.id in ("os", "posix")
        ):
            yield f"line {node.lineno}: {node.value.id}.{node.attr}"


def sends_messages(_: Path, tree: ast.Module) -> Iterator[str]:
    for name, line in attributes(tree):
        if name in _SENDING:
            yield f"line {line}: {name}"


def has_a_vague_name(path: Path, _: ast.Module) -> Iterator[str]:
    for word in (path.stem, path.parent.name):
        if word in _NO_MODULES:
            yield f"is called {word}"


def uses_any(_: Path, tree: ast.Module) -> Iterator[str]:
    for module, name in imported(tree):
        if module in ("typing", "typing_extensions") and name == "Any":
            yield "imports Any"
    for name, line in attributes(tree):
        if name == "Any":
            yield f"line {line}: typing.Any"


def is_long(path: Path, _: ast.Module) -> Iterator[str]:
    lines = len(path.read_text().splitlines())
    if lines >= LINES:
        yield f"has {lines} lines"


def lacks_a_docstring(path: Path, tree: ast.Module) -> Iterator[str]:
    public = not path.stem.startswith("_") or path.stem.startswith("__")
    if public and tree.body and ast.get_docstring(tree) is None:
        yield "says nowhere what it is for"


def catches_everything(_: Path, tree: ast.Module) -> Iterator[str]:
    """A handler for everything that does not raise again hides whose fault it was (style, rule 11)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            names = {one.id for one in ast.walk(node.type or node) if isinstance(one, ast.Name)}
            broad = node.type is None or names & {"Exception", "BaseException"}
            raises = any(isinstance(one, ast.Raise) and one.exc is None for one in node.body)
            if broad and not raises:
                yield f"line {node.lineno}: catches everything and goes on"


def keeps_state(_: Path, tree: ast.Module) -> Iterator[str]:
    """A cache on a module outlives whoever filled it, and tests and workers share it unasked (style, rule 12)."""
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            words = [word for one in statement.decorator_list for word in ast.walk(one)]
            named = {one.id for one in words if isinstance(one, ast.Name)}
            named |= {one.attr for one in words if isinstance(one, ast.Attribute)}
            if named & {"cache", "lru_cache"}:
                yield f"line {statement.lineno}: {statement.name} is cached for the whole process"
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            yield f"line {node.lineno}: global {', '.join(node.names)}"


RULES: dict[str, tuple[Check, Sequence[str], frozenset[str]]] = {
    "the sandbox alone starts processes": (starts_processes, PACKAGES, STARTS_PROCESSES),
    "entry points alone read the environment": (reads_environment, PACKAGES, READS_ENVIRONMENT),
    "reporter and dispatch alone send messages": (sends_messages, PACKAGES, SENDS_MESSAGES),
    "every module has a name that says what it is": (has_a_vague_name, PACKAGES, NOBODY),
    "the core knows the type of everything": (uses_any, ("evaluation/core",), NOBODY),
    "no file is longer than a reader's patience": (is_long, PACKAGES, NOBODY),
    "every module says what it is for": (lacks_a_docstring, PACKAGES, NOBODY),
    "nobody catches everything and goes on": (catches_everything, PACKAGES, ENDS_A_TASK),
    "no module keeps state": (keeps_state, PACKAGES, NOBODY),
}


@pytest.mark.parametrize("rule", RULES)
def test_the_package_keeps(rule: str) -> None:
    check, below, allowed = RULES[rule]
    assert breaches(REPOSITORY, check, allowed, below) == []


@pytest.mark.parametrize("rule", [rule for rule, (_, _, allowed) in RULES.items() if allowed])
def test_who_may_do_it_is_still_there_and_does_it(rule: str) -> None:
    """An exception that nobody needs any more would let the next one in."""
    check, below, allowed = RULES[rule]
    doing = [line.partition(":")[0] for line in breaches(REPOSITORY, check, below=below)]
    assert {one for one in allowed if not any(is_in(place, one) for place in doing)} == set()


BAD = {
    "import subprocess\n": starts_processes,
    "from multiprocessing import Pool\n": starts_processes,
    "import multiprocessing.pool\n": starts_processes,
    "import os\nos.posix_spawn('/bin/true', [], {})\n": starts_processes,
    "import os\nos.posix_spawnp('true', [], {})\n": starts_processes,
    "import os\nos.fork()\n": starts_processes,
    "import os\nos.forkpty()\n": starts_processes,
    "import os\nos.execve('/bin/true', [], {})\n": starts_processes,
    "import os\nstart = os.system\n": starts_processes,
    "from os import popen as p\n": starts_processes,
    "import asyncio\nasyncio.create_subprocess_exec('true')\n": starts_processes,
    "import os\nos.environ['PATH']\n": reads_environment,
    "import os\nos.getenv('PATH')\n": reads_environment,
    "from os import environ\n": reads_environment,
    "def f():\n    from os import getenvb as g\n": reads_environment,
    "app.send_task('x')\n": sends_messages,
    "task.apply_async()\n": sends_messages,
    "prepare.delay(1)\n": sends_messages,
    "from typing import Any\n": uses_any,
    "import typing\nx: typing.Any = 1\n": uses_any,
    "x = 1\n" * LINES: is_long,
    "x = 1\n": lacks_a_docstring,
    "try:\n    x\nexcept:\n    pass\n": catches_everything,
    "try:\n    x\nexcept Exception:\n    pass\n": catches_everything,
    "try:\n    x\nexcept (ValueError, BaseException) as e:\n    print(e)\n": catches_everything,
    "from functools import cache\n@cache\ndef f(): ...\n": keeps_state,
    "import functools\n@functools.lru_cache(maxsize=1)\ndef f(): ...\n": keeps_state,
    "def f():\n    global x\n    x = 1\n": keeps_state,
}


@pytest.mark.parametrize("source", BAD, ids=lambda source: " ".join(source.split())[:60])
def test_a_module_that_breaks_a_rule_is_found(tmp_path: Path, source: str) -> None:
    (tmp_path / "module.py").write_text(source)
    assert breaches(tmp_path, BAD[source]) != []


@pytest.mark.parametrize("place", ["utils.py", "lib/reader.py", "helpers/__init__.py"])
def test_a_vague_name_is_found_in_files_and_folders(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_text("")
    assert breaches(tmp_path, has_a_vague_name) != []


GOOD = '''\
"""What a module of this house may look like."""

import os
from collections.abc import Mapping


def home(environ: Mapping[str, str]) -> str:
    try:
        return environ["HOME"] + os.sep
    except KeyError:
        return ""


def carefully() -> None:
    try:
        home({})
    except Exception:
        print("seen")
        raise
'''


def test_a_module_that_keeps_every_rule_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(GOOD)
    (tmp_path / "__init__.py").write_text("")
    for check, _, _ in RULES.values():
        assert breaches(tmp_path, check) == []


@pytest.mark.parametrize(
    "package", ["evaluation", "evaluation/core", "leaderboard", "portal", "portal/uploads"]
)
def test_importing_a_package_alone_does_nothing(package: str) -> None:
    assert (REPOSITORY / package / "__init__.py").read_text() == ""
