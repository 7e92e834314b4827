"""Host code that looks around, starts something or leaves (rules R3 and L12)."""

import pytest
from recordings import Record

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


@pytest.mark.parametrize(
    ("action", "kind", "detail", "told"),
    [
        ("environment_variable", "getenv", "HOME", 1),
        ("clock", "clock", "clock_gettime", 1),
        ("time", "clock", "time", 1),
        ("random", "randomness", "getrandom", 4),
        ("where_am_i", "dladdr", "dladdr", 1),
        ("loaded_objects", "dl_iterate_phdr", "dl_iterate_phdr", 1),
    ],
)
def test_a_look_at_the_surroundings_is_answered_and_said_once(
    act: Record, action: str, kind: str, detail: str, told: int
) -> None:
    recorded = act(action, calls=3)
    assert recorded.of("remark") == [{"e": "remark", "kind": kind, "detail": detail}]
    assert recorded.told == [told]
    assert recorded.events[-1]["e"] == "end"


def test_an_exception_of_its_own_is_no_look_at_the_surroundings(act: Record) -> None:
    recorded = act("catch_own", calls=1)
    assert recorded.of("remark") == []
    assert recorded.told == [3]


def test_the_clocks_of_the_two_processes_are_apart_in_every_byte(act: Record) -> None:
    for action, count in (("seconds", 4), ("all_clocks", 3)):
        here, there = (act(action, process=process, calls=1).told for process in (0, 1))
        assert len(here) == len(there) == count
        assert all(one != other for one, other in zip(here, there, strict=True))


@pytest.mark.parametrize(
    ("action", "call", "word"),
    [
        ("thread", "pthread_create", "host threads"),
        ("raw_thread", "clone", "no host thread"),
        ("fork", "fork", "no process"),
        ("raw_fork", "fork", "no process"),
        ("shell", "system", "no process"),
        ("socket", "socket", "network"),
        ("read_file", "openat", "/proc/self/maps"),
        ("open_file", "openat", "/tmp/x"),  # noqa: S108 - the jail's own
        ("stat_file", "newfstatat", "/usr/bin/bwrap"),
        ("own_library_again", "openat", "/judge/kernel.so"),
        ("load_blas", "dlopen", "libcublas.so.13"),
        ("ask_for_setenv", "dlsym", "setenv"),
        ("handler", "rt_sigaction", "signals"),
        ("kill_other", "kill", "other processes"),
        ("memfd", "memfd_create", "share memory"),
        ("seccomp_again", "seccomp", "machine"),
        ("odd_call", "system call", "167"),
        ("leave", "exit", "end the process"),
    ],
)
def test_what_a_kernel_may_not_do_is_refused_by_the_name_of_the_call(
    act: Record, action: str, call: str, word: str
) -> None:
    recorded = act(action)
    name, why = recorded.refused
    assert name == call
    assert word in why
    assert recorded.raw.exit_code == 3


def test_the_driver_library_is_the_shim_whoever_loads_it(act: Record) -> None:
    recorded = act("load_driver", calls=1)
    assert recorded.of("entry") == [{"e": "entry", "name": "cuMemAlloc_v2", "found": True}]
    assert [one["size"] for one in recorded.of("alloc")] == [16]
    assert [one["kind"] for one in recorded.of("remark")] == ["dlopen", "dlsym"]


def test_leaving_past_the_c_library_cuts_the_recording_short(act: Record) -> None:
    recorded = act("leave_by_call")
    assert recorded.of("end") == recorded.of("refused") == []
    assert recorded.events[-1] == {"e": "call", "n": 1, "set": 0}


@pytest.mark.parametrize(
    "name",
    [
        "vfork", "clone3", "execve", "ptrace", "process_vm_readv", "process_vm_writev", "userfaultfd",
        "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "keyctl", "mount",
        "umount2", "pivot_root", "chroot", "unshare", "setns", "prctl", "tgkill", "tkill",
    ],
)  # fmt: skip
def test_a_forbidden_system_call_ends_the_recording_by_its_name(act: Record, name: str) -> None:
    assert act(f"raw_{name}").refused[0] == name
