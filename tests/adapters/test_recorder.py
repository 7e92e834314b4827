"""The recorder with a jail that only pretends: what it asks for, and what it makes of the answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.native import Native
from evaluation.adapters.recorder import Recorder
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Captured, JailCommand, JailResult
from evaluation.core.record.raw import RawRecording, Recordings

BEGUN = b'{"e":"begin","version":1}\n{"e":"call","n":0,"set":0}\n'
TOOLCHAIN = Toolchain(Path("/toolchains/one"), "id", 120200, (), ())
EMPTY = CubinFacts(sm=90, functions=(), symbols=(), externs=(), global_bytes=0)


def ended(text: bytes = BEGUN, *, exit_code: int | None = 0, dropped: int = 0) -> JailResult:
    outputs: Mapping[str, Captured] = {"recording": Captured(text, dropped)}
    return JailResult(
        exit_code=exit_code,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
        stdout=Captured(b""),
        stderr=Captured(b"ptxboard recorder: the brief cannot be opened\n"),
        outputs=outputs,
        seconds=0.1,
    )


@dataclass
class PretendedJail:
    """Gives the answers in turn, the last one for ever."""

    answers: list[JailResult] = field(default_factory=lambda: [ended()])
    commands: list[JailCommand] = field(default_factory=list)
    lock: Lock = field(default_factory=Lock)

    def run(self, command: JailCommand) -> JailResult:
        with self.lock:
            self.commands.append(command)
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def recorder(jail: PretendedJail, *, seed: int = 40) -> Recorder:
    return Recorder(jail, TOOLCHAIN, Native(b"driver", b"shim"), seed=seed)


def record(
    jail: PretendedJail, *, seed: int = 40, library: bytes = b"library", noise: int = 0
) -> Recordings:
    problem, device = packaged().problem("gemm_n4096_k4096"), packaged().device("h200")
    return recorder(jail, seed=seed).record(
        library, problem=problem, cubin=EMPTY, device=device, noise=noise
    )


def briefs(jail: PretendedJail) -> list[list[str]]:
    files = [
        {file.destination: file.content for file in command.files} for command in jail.commands
    ]
    return [one["/judge/brief"].decode().splitlines() for one in files]


def fact(brief: list[str], name: str) -> str:
    return next(line for line in brief if line.startswith(f"{name} ")).removeprefix(f"{name} ")


def test_the_pair_has_one_seed_two_processes_and_fixed_addresses() -> None:
    jail = PretendedJail()
    recordings = record(jail)
    assert recordings.noise == ()
    assert sorted(fact(brief, "process") for brief in briefs(jail)) == ["0", "1"]
    assert len({fact(brief, "seed") for brief in briefs(jail)}) == 1
    assert [command.fixed_addresses for command in jail.commands] == [True, True]


def test_noise_has_the_bases_of_the_first_and_random_addresses() -> None:
    jail = PretendedJail()
    recordings = record(jail, noise=6)
    assert len(recordings.noise) == 6
    assert [command.fixed_addresses for command in jail.commands] == [True, True] + [False] * 6
    assert {fact(brief, "process") for brief in briefs(jail)[2:]} == {"0"}


def test_memory_that_nobody_wrote_is_the_same_in_the_pair_and_another_in_each_noise() -> None:
    jail = PretendedJail()
    record(jail, noise=6)
    fills = [fact(brief, "fill") for brief in briefs(jail)]
    assert fills[0] == fills[1]
    assert len(set(fills)) == 7


@pytest.mark.parametrize(("seed", "calls"), [(0, 9), (31, 40), (32, 9), (2**64 - 1, 40)])
def test_host_code_is_called_eight_times_and_1_to_32_more(seed: int, calls: int) -> None:
    jail = PretendedJail()
    record(jail, seed=seed)
    assert recorder(jail, seed=seed).calls == calls
    assert {fact(brief, "calls") for brief in briefs(jail)} == {str(calls)}


def test_a_recorder_of_its_own_seed_is_no_copy_of_another() -> None:
    one, other = (Recorder(PretendedJail(), TOOLCHAIN, Native(b"", b"")) for _ in range(2))
    assert one.seed != other.seed


def test_another_kernel_gets_other_bases_and_the_same_one_the_same() -> None:
    seeds = []
    for library in (b"one", b"other", b"one"):
        jail = PretendedJail()
        record(jail, library=library)
        seeds.append(fact(briefs(jail)[0], "seed"))
    assert seeds[0] == seeds[2] != seeds[1]


def test_the_jail_gets_the_programs_the_library_and_no_environment() -> None:
    jail = PretendedJail()
    record(jail)
    command = jail.commands[0]
    assert command.argv == ("/judge/driver", "/judge/brief", "/judge/kernel.so")
    files = {file.destination: file for file in command.files}
    assert files["/judge/driver"].content == b"driver"
    assert files["/judge/driver"].executable
    assert files["/judge/libptxboard_shim.so"].content == b"shim"
    assert files["/judge/kernel.so"].content == b"library"
    assert command.environment == ()
    assert [bind.destination for bind in command.binds] == ["/toolchain/tvm/lib"]
    assert (command.limits.cpu_seconds, command.limits.memory_bytes) == (10, 512 << 20)
    assert command.limits.open_files == 32


def test_how_a_process_ended_goes_to_the_differ() -> None:
    jail = PretendedJail([ended(BEGUN + b"broken", exit_code=4, dropped=17)])
    assert record(jail).first == RawRecording(
        text=BEGUN + b"broken",
        dropped=17,
        exit_code=4,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
    )


def test_a_process_that_never_got_to_the_author_is_started_once_more() -> None:
    jail = PretendedJail([ended(b"", exit_code=5), ended()])
    assert record(jail).second.text == BEGUN
    assert len(jail.commands) == 3


def test_a_recorder_that_does_not_start_twice_is_our_failure() -> None:
    jail = PretendedJail([ended(b'{"e":"begin","version":1}\n', exit_code=5)])
    with pytest.raises(ToolFailure, match="the brief cannot be opened"):
        record(jail)


def test_what_the_author_writes_is_never_our_failure() -> None:
    jail = PretendedJail([ended(BEGUN, exit_code=5)])
    assert record(jail).first.exit_code == 5
