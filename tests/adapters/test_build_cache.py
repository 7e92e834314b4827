"""Builds are kept by key: compiled once, checked on every use, made again when damaged."""

import dataclasses
import multiprocessing
import os
import time
from dataclasses import dataclass
from multiprocessing.synchronize import Event, Semaphore
from pathlib import Path
from typing import ClassVar

import pytest

from evaluation.adapters.build_cache import BuildCache, decode, encode
from evaluation.adapters.nvcc import Nvcc
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile.build import BuildLimits, Built, Failed, FailureKind, Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import JailCommand, JailFile, JailResult
from evaluation.core.verdict import Target

BUILT = Built(b"cubin\0", b"ptx", b"library", HeaderSet.SLIM, "warning ≥ 1\n", 1.5)
PRINTS = dataclasses.replace(BUILT, unmodified_cubin=b"with printf")
FAILED = Failed(FailureKind.ERROR, "link", HeaderSet.REAL, "", 0.25)


class Maker:
    """Counts how often it is asked."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.calls = 0

    def __call__(self) -> Program:
        self.calls += 1
        return self.program


@pytest.fixture
def cache(tmp_path: Path) -> BuildCache:
    return BuildCache(tmp_path)


@pytest.mark.parametrize("program", [BUILT, PRINTS, FAILED])
def test_a_kept_program_comes_back_the_same_and_says_so(
    cache: BuildCache, program: Program
) -> None:
    maker = Maker(program)

    first = cache.get_or_make("k", maker)
    second = cache.get_or_make("k", maker)

    assert maker.calls == 1
    assert first == program
    assert second.from_cache
    assert decode(encode(second)) == program


def test_another_key_is_another_program(cache: BuildCache) -> None:
    assert cache.get_or_make("a", Maker(BUILT)) == BUILT
    assert cache.get_or_make("b", Maker(FAILED)) == FAILED


@pytest.mark.parametrize("kind", [FailureKind.TIMEOUT, FailureKind.MEMORY])
def test_what_a_busy_host_may_have_caused_is_not_kept(cache: BuildCache, kind: FailureKind) -> None:
    maker = Maker(Failed(kind, "assemble", HeaderSet.SLIM, "", 60.0))

    cache.get_or_make("k", maker)
    cache.get_or_make("k", maker)

    assert maker.calls == 2


def test_our_own_failure_is_not_kept(cache: BuildCache) -> None:
    def broken() -> Program:
        raise ToolFailure("the jail is broken")

    with pytest.raises(ToolFailure):
        cache.get_or_make("k", broken)

    assert cache.get_or_make("k", Maker(BUILT)) == BUILT


@pytest.mark.parametrize("place", [0, 20, 48, 60, -1])
def test_a_flipped_byte_is_noticed_and_the_program_made_again(
    cache: BuildCache, tmp_path: Path, place: int
) -> None:
    cache.get_or_make("k", Maker(BUILT))
    damaged = bytearray((tmp_path / "k.build").read_bytes())
    damaged[place] ^= 1
    (tmp_path / "k.build").write_bytes(damaged)
    maker = Maker(BUILT)

    again = cache.get_or_make("k", maker)

    assert (maker.calls, again.from_cache) == (1, False)
    assert cache.get_or_make("k", maker).from_cache


@pytest.mark.parametrize(
    "content", [b"", b"ptxboard-build-1", encode(BUILT)[:-1], encode(BUILT) + b"x"]
)
def test_bytes_that_are_no_whole_entry_are_no_program(content: bytes) -> None:
    assert decode(content) is None


def test_the_least_recently_used_builds_make_room(tmp_path: Path) -> None:
    size = len(encode(BUILT))
    cache = BuildCache(tmp_path, limit_bytes=2 * size)
    for age, key in ((300, "old"), (200, "older-but-used")):
        cache.get_or_make(key, Maker(BUILT))
        os.utime(tmp_path / f"{key}.build", (time.time() - age, time.time() - age))
    os.utime(tmp_path / "older-but-used.build", (0, 0))
    cache.get_or_make("older-but-used", Maker(FAILED))

    cache.get_or_make("new", Maker(BUILT))

    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.build", "older-but-used.build"]


@dataclass(frozen=True)
class Meeting:
    """What workers in other processes tell, and wait for."""

    arrived: Semaphore  # one more for each worker that has found no entry and goes for the lock
    go_on: Event
    tally: Path


class WatchedCache(BuildCache):
    """Says when a first look has found nothing: from then on the worker wants to compile."""

    meeting: ClassVar[Meeting]

    def _load(self, key: str) -> Program | None:
        found = super()._load(key)
        if found is None:
            self.meeting.arrived.release()
        return found


def count_and_make(directory: Path, meeting: Meeting) -> None:
    def make() -> Program:
        with meeting.tally.open("ab") as file:
            file.write(b"x")
        assert meeting.go_on.wait(600)
        return BUILT

    WatchedCache.meeting = meeting
    program = WatchedCache(directory).get_or_make("k", make)
    assert isinstance(program, Built)


def test_two_workers_at_once_compile_once(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    (tmp_path / "builds").mkdir()
    meeting = Meeting(spawn.Semaphore(0), spawn.Event(), tmp_path / "tally")
    workers = [
        spawn.Process(target=count_and_make, args=(tmp_path / "builds", meeting)) for _ in range(3)
    ]

    for worker in workers:
        worker.start()
    # Each of the three has looked in vain, and the one that holds the lock has looked twice.
    for _ in range(4):
        assert meeting.arrived.acquire(timeout=600)
    meeting.go_on.set()
    for worker in workers:
        worker.join()

    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert meeting.tally.read_bytes() == b"x"


class NoJail:
    """Says no, so that a build that reaches it is seen."""

    def __init__(self) -> None:
        self.calls = 0

    def run(self, command: JailCommand) -> JailResult:
        self.calls += 1
        raise ToolFailure(f"started {command.argv[0]}")


def keys_differ(
    one: Nvcc, other: Nvcc, *, source: bytes = b"s", target: Target = Target.HOPPER
) -> bool:
    headers = (HeaderSet.SLIM, HeaderSet.REAL)
    return one.key(b"s", Target.HOPPER, headers) != other.key(source, target, headers)


def test_everything_that_goes_into_a_build_is_in_its_key(cache: BuildCache) -> None:
    toolchain = Toolchain(Path("/tools"), "id", 120200, (), ())
    nvcc = Nvcc(NoJail(), toolchain, (), cache)

    assert not keys_differ(nvcc, Nvcc(NoJail(), toolchain, (), None))
    assert keys_differ(nvcc, nvcc, source=b"t")
    assert keys_differ(nvcc, nvcc, target=Target.BLACKWELL)
    assert keys_differ(
        nvcc, Nvcc(NoJail(), Toolchain(Path("/tools"), "other", 120200, (), ()), (), cache)
    )
    assert keys_differ(nvcc, Nvcc(NoJail(), toolchain, (JailFile("/slim/x.h", b"x"),), cache))
    assert keys_differ(nvcc, Nvcc(NoJail(), toolchain, (), cache, BuildLimits(object_bytes=1)))
    slim_only = nvcc.key(b"s", Target.HOPPER, (HeaderSet.SLIM,))
    assert slim_only != nvcc.key(b"s", Target.HOPPER, (HeaderSet.SLIM, HeaderSet.REAL))


def test_a_kept_build_starts_no_tool(cache: BuildCache) -> None:
    jail = NoJail()
    nvcc = Nvcc(jail, Toolchain(Path("/tools"), "id", 120200, (), ()), (), cache)
    key = nvcc.key(b"source", Target.HOPPER, (HeaderSet.SLIM,))
    cache.get_or_make(key, Maker(BUILT))

    program = nvcc.build(b"source", Target.HOPPER, headers=(HeaderSet.SLIM,))

    assert (program.from_cache, jail.calls) == (True, 0)
    with pytest.raises(ToolFailure, match="started /usr/bin/bash"):
        nvcc.build(b"another", Target.HOPPER)
