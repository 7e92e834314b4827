"""The jail by running in it: what a process can reach, use up and leave behind (docs/rules.md, R3)."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath

import pytest

from evaluation.adapters import cgroup
from evaluation.adapters.jail_view import isolation_arguments
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.slots import Slot, Slots
from evaluation.core.errors import CannotJail
from evaluation.core.ports import Bind, JailCommand, JailFile, JailResult, Limits, Output

# ruff: noqa: S108 - the paths are the jail's own or refused ones

pytestmark = pytest.mark.toolchain

REPOSITORY = Path(__file__).parents[2]
LIMITS = Limits(
    wall_seconds=60,
    cpu_seconds=20,
    memory_bytes=512 << 20,
    file_bytes=8 << 20,
    scratch_bytes=16 << 20,
    processes=16,
    open_files=64,
    stdout_bytes=4000,
    stderr_bytes=4000,
)
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="uids of their own are for root workers")


def peak_of_this_process() -> int:
    """In bytes, as the kernel counts it."""
    rows = Path("/proc/self/status").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("VmHWM:")) * 1024


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    built = tmp_path_factory.mktemp("probe") / "probe"
    source = Path(__file__).with_name("jail_probe.c")
    subprocess.run(["gcc", "-O1", "-fPIE", "-pie", "-o", built, source], check=True)
    return built.read_bytes()


@pytest.fixture
def visible() -> Iterator[Path]:
    """A directory that everyone may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def command(
    probe: bytes,
    *words: str,
    limits: Limits = LIMITS,
    outputs: tuple[Output, ...] = (),
    binds: tuple[Bind, ...] = (),
    files: tuple[JailFile, ...] = (),
    fixed_addresses: bool = False,
) -> JailCommand:
    return JailCommand(
        ("/w/probe", *words),
        limits,
        binds=binds,
        files=(JailFile("/w/probe", probe, executable=True), *files),
        outputs=outputs,
        fixed_addresses=fixed_addresses,
    )


def answers(result: JailResult) -> dict[str, str]:
    assert result.exit_code == 0, result
    rows = (line.rsplit(" ", 1) for line in result.stdout.content.decode().splitlines())
    return dict(rows)


def alive(token: str) -> list[Path]:
    """Processes of this host that carry the token in their command line."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if token.encode() in line.read_bytes():
                found.append(line.parent)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return [path for path in found if int(path.name) != os.getpid()]


def wait_until_alive(token: str, name: str = "probe") -> Path:
    """The jailed process itself, not the programs that started it."""
    for _ in range(2000):
        for path in alive(token):
            try:
                if (path / "comm").read_text().strip() == name:
                    return path
            except FileNotFoundError:
                continue
        time.sleep(0.01)
    raise AssertionError("the jailed process did not start")


def uid_of(process: Path) -> int:
    row = next(line for line in (process / "status").read_text().splitlines() if "Uid:" in line)
    return int(row.split()[1])


# What it can reach


def test_files_of_the_host_are_not_there(jail: Bubblewrap, probe: bytes) -> None:
    paths = (
        "/etc/shadow",
        "/etc/passwd",
        "/root",
        "/home",
        "/proc/self/maps",
        "/sys",
        "/run",
        "/var",
        "/usr/local",
    )

    assert answers(jail.run(command(probe, "read", *paths))) == dict.fromkeys(paths, "ENOENT")


@as_root
def test_a_file_that_root_alone_may_read_stays_closed_in_a_visible_directory(
    jail: Bubblewrap, probe: bytes, visible: Path
) -> None:
    secret = visible / "secret"
    secret.write_text("secret")
    secret.chmod(0o600)
    jail = dataclasses.replace(jail, readable=(visible,))

    result = jail.run(
        command(probe, "read", "/seen/secret", binds=(Bind(PurePosixPath(visible), "/seen"),))
    )

    assert answers(result) == {"/seen/secret": "EACCES"}


def test_a_file_handed_over_is_readable_although_its_source_is_not_on_the_host(
    jail: Bubblewrap, probe: bytes
) -> None:
    result = jail.run(
        command(probe, "read", "/w/given", files=(JailFile("/w/given", b"x" * 300_000),))
    )

    assert answers(result) == {"/w/given": "done"}


def test_nothing_can_be_written_but_the_private_tmp(jail: Bubblewrap, probe: bytes) -> None:
    result = jail.run(
        command(
            probe, "write", "/x", "/w/x", "/usr/bin/x", "/dev/shm/x", "/dev/x", "/w/probe", "/tmp/x"
        )
    )

    assert answers(result) == {
        "/x": "EROFS",
        "/w/x": "EROFS",
        "/usr/bin/x": "EROFS",
        "/dev/shm/x": "EROFS",
        "/dev/x": "EROFS",
        "/w/probe": "EACCES",
        "/tmp/x": "done",
    }


def test_every_forbidden_system_call_is_refused(jail: Bubblewrap, probe: bytes) -> None:
    seen = answers(jail.run(command(probe, "forbidden")))

    assert len(seen) == 65
    assert {name for name, answer in seen.items() if answer != "EPERM"} == set()


def test_new_namespaces_and_unknown_calls_are_refused(jail: Bubblewrap, probe: bytes) -> None:
    assert answers(jail.run(command(probe, "namespaces"))) == {
        "clone": "EPERM",
        "clone3": "ENOSYS",
        "tomorrow": "ENOSYS",
        "tiocsti": "EPERM",
        "new_privileges": "EINVAL",
        "no_new_privileges": "1",
    }


@pytest.mark.parametrize("table", ["int80", "x32"])
def test_system_calls_by_another_table_end_the_process(
    jail: Bubblewrap, probe: bytes, table: str
) -> None:
    result = jail.run(command(probe, table))

    assert (result.exit_code, result.signal) == (None, signal.SIGSYS)


def test_it_sees_no_environment_and_only_its_descriptors(jail: Bubblewrap, probe: bytes) -> None:
    assert jail.run(command(probe, "environment")).stdout.content == b""
    seen = jail.run(
        command(probe, "descriptors", outputs=(Output("one", 10, 10), Output("two", 42, 10)))
    )
    assert seen.stdout.content == b"0 1 2 10 42 "


def test_the_environment_is_what_the_command_states(jail: Bubblewrap, probe: bytes) -> None:
    stated = dataclasses.replace(command(probe, "environment"), environment=(("TZ", "UTC"),))

    assert jail.run(stated).stdout.content == b"TZ=UTC\n"


@as_root
def test_two_jails_at_once_have_two_unprivileged_uids(jail: Bubblewrap, probe: bytes) -> None:
    tokens = (uuid.uuid4().hex, uuid.uuid4().hex)
    short = dataclasses.replace(LIMITS, wall_seconds=20.0)
    threads = [
        threading.Thread(target=jail.run, args=(command(probe, "hang", token, limits=short),))
        for token in tokens
    ]
    for thread in threads:
        thread.start()
    try:
        uids = [uid_of(wait_until_alive(token)) for token in tokens]
    finally:
        for token in tokens:
            os.kill(int(wait_until_alive(token).name), signal.SIGKILL)
        for thread in threads:
            thread.join()

    assert len({*uids, 0, os.getuid()}) == 3
    assert min(uids) >= 60_000


def test_inside_it_is_nobody(jail: Bubblewrap, probe: bytes) -> None:
    assert jail.run(command(probe, "ids")).stdout.content == b"65534 65534\n"


def test_addresses_are_the_same_each_time_only_when_asked(jail: Bubblewrap, probe: bytes) -> None:
    fixed = {
        jail.run(command(probe, "addresses", fixed_addresses=True)).stdout.content for _ in range(3)
    }
    free = {jail.run(command(probe, "addresses")).stdout.content for _ in range(3)}

    assert len(fixed) == 1
    assert len(free) == 3


# What it can use up


def test_there_is_no_terminal_to_wait_at(jail: Bubblewrap) -> None:
    opens = (
        "for name in /dev/ptmx /dev/pts/ptmx /dev/tty; do (: <$name) && echo $name; done; echo done"
    )

    result = jail.run(JailCommand(("/usr/bin/sh", "-c", opens), LIMITS))

    assert result.stdout.content == b"done\n"


def test_the_processor_time_of_all_processes_is_told(jail: Bubblewrap, probe: bytes) -> None:
    result = jail.run(command(probe, "spin", limits=dataclasses.replace(LIMITS, cpu_seconds=1)))

    assert 0.8 <= result.cpu_seconds < 30.0


def test_the_private_tmp_ends_at_its_size(jail: Bubblewrap, probe: bytes) -> None:
    limits = dataclasses.replace(LIMITS, file_bytes=1 << 30)

    assert (
        jail.run(command(probe, "fill", "/tmp/x", limits=limits)).stdout.content
        == b"16777216 ENOSPC\n"
    )


def test_one_file_ends_at_its_size(jail: Bubblewrap, probe: bytes) -> None:
    assert jail.run(command(probe, "fill", "/tmp/x")).stdout.content == b"8388608 EFBIG\n"


def test_ten_thousand_forks_end_early_and_leave_nothing(jail: Bubblewrap, probe: bytes) -> None:
    token = uuid.uuid4().hex

    made, why = jail.run(command(probe, "forks", "10000", token)).stdout.content.split()

    assert 1 <= int(made) < 16
    assert why == b"EAGAIN"
    assert alive(token) == []


@pytest.mark.parametrize("use_cgroups", [True, False])
def test_memory_ends_at_its_limit_and_is_named_as_the_reason(
    jail: Bubblewrap, probe: bytes, *, use_cgroups: bool
) -> None:
    jail = dataclasses.replace(jail, use_cgroups=use_cgroups)
    bound = 2 * peak_of_this_process() + (512 << 20)
    limits = dataclasses.replace(LIMITS, memory_bytes=bound)

    result = jail.run(command(probe, "memory", str(bound + (200 << 20)), limits=limits))

    assert result.exit_code != 0
    assert result.memory_exhausted


def test_a_jail_is_not_blamed_for_the_memory_of_the_worker_that_starts_it(
    jail: Bubblewrap, probe: bytes
) -> None:
    """A child has its parent's memory until it executes a program, and the kernel counts that as its peak."""
    ballast = bytes(600 << 20)
    ballast = ballast.replace(b"\0", b"\1", 1)  # zeros alone may take no memory
    limits = dataclasses.replace(LIMITS, memory_bytes=peak_of_this_process())

    result = jail.run(command(probe, "raise", str(int(signal.SIGSEGV)), limits=limits))

    assert len(ballast) == 600 << 20
    assert (result.signal, result.memory_exhausted) == (signal.SIGSEGV, False)


def test_many_processes_share_one_bound_of_memory_where_there_is_a_cgroup(
    jail: Bubblewrap, probe: bytes
) -> None:
    group = cgroup.create("ptxboard-test", memory_bytes=1 << 20, processes=1)
    if group is None:
        pytest.skip("this host gives no control groups")
    group.remove()

    result = jail.run(command(probe, "crowd", "6", str(150 << 20)))

    assert result.memory_exhausted


@pytest.mark.parametrize("use_cgroups", [True, False])
def test_a_memory_bomb_in_one_jail_does_not_show_in_the_end_of_another(
    jail: Bubblewrap, probe: bytes, visible: Path, *, use_cgroups: bool
) -> None:
    group = cgroup.create("ptxboard-test", memory_bytes=1 << 20, processes=1)
    if group is None:
        pytest.skip("this host gives no control groups")
    group.remove()
    token = uuid.uuid4().hex
    script = 'until [ -e /shown/go ]; do sleep 0.02; done; exit 1; : "$0"'
    bystander = JailCommand(
        ("/usr/bin/sh", "-c", script, token),
        LIMITS,
        binds=(Bind(PurePosixPath(visible), "/shown"),),
        environment=(("PATH", "/usr/bin"),),
    )
    beside = Bubblewrap((visible,), jail.slots, use_cgroups=use_cgroups)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(beside.run, bystander)
        wait_until_alive(token, name="sh")
        bomb = jail.run(command(probe, "crowd", "6", str(150 << 20)))
        (visible / "go").touch()
        result = waiting.result()

    assert bomb.memory_exhausted
    assert (result.exit_code, result.memory_exhausted) == (1, False)


def test_ordinary_memory_is_no_reason(jail: Bubblewrap, probe: bytes) -> None:
    result = jail.run(command(probe, "memory", str(100 << 20)))

    assert (result.exit_code, result.memory_exhausted) == (0, False)


def test_cpu_time_ends_also_for_a_process_that_ignores_the_warning(
    jail: Bubblewrap, probe: bytes
) -> None:
    result = jail.run(command(probe, "spin", limits=dataclasses.replace(LIMITS, cpu_seconds=1)))

    assert (result.signal, result.cpu_exhausted, result.timed_out) == (signal.SIGKILL, True, False)


def test_a_flood_on_standard_output_is_drained_and_counted(jail: Bubblewrap, probe: bytes) -> None:
    total = 2 << 30

    result = jail.run(command(probe, "flood", "1", str(total), "1", "7"))

    assert result.clean
    assert result.stdout.content == b"x" * 4000
    assert result.stdout.dropped == total + 7 - 4000
    assert result.stdout.tail == b"x" * 32 * 1024


def test_several_outputs_flow_at_once_and_end_at_their_limits(
    jail: Bubblewrap, probe: bytes
) -> None:
    outputs = (Output("one", 10, 3 << 20), Output("two", 11, 1000), Output("three", 12, 0))
    words = ("10", "1000000", "11", "1000000", "12", "1000000", "10", "1000000", "2", "100000")

    result = jail.run(command(probe, "flood", *words, outputs=outputs))

    assert result.clean
    sizes = {name: (len(seen.content), seen.dropped) for name, seen in result.outputs.items()}
    assert sizes == {"one": (2_000_000, 0), "two": (1000, 999_000), "three": (0, 1_000_000)}
    assert (len(result.stderr.content), result.stderr.dropped) == (4000, 96_000)


# How it ends


@pytest.mark.parametrize("code", [0, 1, 3, 127])
def test_an_exit_code_comes_back(jail: Bubblewrap, probe: bytes, code: int) -> None:
    result = jail.run(command(probe, "exit", str(code)))

    assert (result.exit_code, result.signal, result.timed_out) == (code, None, False)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL])
def test_a_signal_comes_back(jail: Bubblewrap, probe: bytes, number: signal.Signals) -> None:
    result = jail.run(command(probe, "raise", str(int(number))))

    assert (result.exit_code, result.signal, result.memory_exhausted) == (None, number, False)


def test_a_program_that_does_not_exist_is_the_commands_failure(jail: Bubblewrap) -> None:
    assert jail.run(JailCommand(("/w/nothing",), LIMITS)).exit_code == 127


def test_a_process_that_ignores_every_signal_is_killed_at_the_deadline(
    jail: Bubblewrap, probe: bytes
) -> None:
    token = uuid.uuid4().hex

    result = jail.run(
        command(probe, "hang", token, limits=dataclasses.replace(LIMITS, wall_seconds=0.5))
    )

    assert (result.timed_out, result.exit_code, result.signal) == (True, None, signal.SIGKILL)
    assert alive(token) == []


def test_a_grandchild_in_a_session_of_its_own_dies_with_its_command(
    jail: Bubblewrap, probe: bytes
) -> None:
    token = uuid.uuid4().hex

    result = jail.run(command(probe, "daemon", token))

    assert result.exit_code == 0
    assert alive(token) == []


WORKER = """
import sys
from pathlib import Path
from evaluation.adapters import cgroup
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.slots import Slot, Slots
from evaluation.core.ports import JailCommand, JailFile, Limits
limits = Limits(300, 300, 1 << 29, 1 << 20, 1 << 20, 16, 64, 100, 100)
probe = Path(sys.argv[1]).read_bytes()
jail = Bubblewrap((), Slots(Path(sys.argv[2])))
print("ready", flush=True)
jail.run(JailCommand(("/w/probe", sys.argv[3], sys.argv[4]), limits, files=(JailFile("/w/probe", probe, executable=True),)))
"""


@pytest.fixture
def probe_file(probe: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "probe"
    path.write_bytes(probe)
    return path


def start_worker(slots: Slots, probe_file: Path, what: str, token: str) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-c", WORKER, str(probe_file), str(slots.directory), what, token]
    worker = subprocess.Popen(argv, cwd=REPOSITORY, stdout=subprocess.PIPE)
    assert worker.stdout is not None
    assert worker.stdout.readline() == b"ready\n"
    return worker


def kill_and_wait(worker: subprocess.Popen[bytes]) -> None:
    worker.kill()
    worker.communicate()


def is_waiting_bwrap(process: Path) -> bool:
    try:
        return (process / "comm").read_text() == "bwrap\n"
    except FileNotFoundError:
        return True


def candidate_is_gone(token: str) -> bool:
    """At most a bwrap is left that was never told to go on."""
    for _ in range(1000):
        if all(is_waiting_bwrap(process) for process in alive(token)):
            return True
        time.sleep(0.01)
    return False


def nothing_is_left(token: str) -> bool:
    for _ in range(1000):
        if not alive(token):
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("what", ["hang", "spin"])
def test_killing_the_worker_kills_its_jail(
    jail: Bubblewrap, probe_file: Path, tmp_path: Path, what: str
) -> None:
    token = uuid.uuid4().hex
    slots = Slots(tmp_path / "slots", count=1)
    worker = start_worker(slots, probe_file, what, token)
    wait_until_alive(token)

    kill_and_wait(worker)

    assert nothing_is_left(token)
    # The next user of the slot finds it clean, and takes its control group away.
    dataclasses.replace(jail, slots=slots).run(JailCommand(("/usr/bin/true",), LIMITS))


@pytest.mark.parametrize("delay_ms", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 30, 50])
def test_killing_the_worker_while_the_jail_starts_leaves_nothing_to_the_next_user_of_its_slot(
    jail: Bubblewrap, probe_file: Path, tmp_path: Path, delay_ms: int
) -> None:
    token = uuid.uuid4().hex
    slots = Slots(tmp_path / "slots", count=1)
    worker = start_worker(slots, probe_file, "hang", token)
    time.sleep(delay_ms / 1000)

    kill_and_wait(worker)

    assert candidate_is_gone(token)
    dataclasses.replace(jail, slots=slots).run(JailCommand(("/usr/bin/true",), LIMITS))
    assert nothing_is_left(token)


def test_a_jail_whose_worker_died_before_it_said_what_to_show_ends_before_it_makes_a_process(
    tmp_path: Path,
) -> None:
    token = uuid.uuid4().hex
    reading, nobody_reads = os.pipe()
    os.close(reading)
    with (tmp_path / "nothing").open("xb+") as nothing:
        arguments = isolation_arguments(
            mark=token, status=nobody_reads, seccomp=nothing.fileno(), view=nothing.fileno()
        )
        ended = subprocess.run(
            ["/usr/bin/bwrap", *arguments, "--", "/usr/bin/true"],
            pass_fds=(nobody_reads, nothing.fileno()),
            capture_output=True,
            timeout=60,
            check=False,
        )
    os.close(nobody_reads)

    assert ended.returncode == 1
    assert b"requires --unshare" in ended.stderr
    assert alive(token) == []


# What it refuses to run


@pytest.mark.parametrize(
    "source", ["/", "/etc", "/sys", "/root", "/home", "/usr", "/etc/passwd", str(REPOSITORY)]
)
def test_a_bind_outside_the_readable_directories_is_refused(
    jail: Bubblewrap, probe: bytes, source: str
) -> None:
    with pytest.raises(CannotJail, match="outside the directories"):
        jail.run(command(probe, "ids", binds=(Bind(PurePosixPath(source), "/seen"),)))


@pytest.mark.parametrize(
    "readable", ["/", "/etc", "/usr", "/var", "/tmp", str(REPOSITORY), str(Path.home())]
)
def test_a_readable_directory_that_shows_too_much_is_refused(
    jail: Bubblewrap, probe: bytes, readable: str
) -> None:
    wide = dataclasses.replace(jail, readable=(Path(readable),))

    with pytest.raises(CannotJail, match="must not be shown"):
        wide.run(command(probe, "ids", binds=(Bind(PurePosixPath(readable) / "bin", "/seen"),)))


def test_a_link_does_not_lead_a_bind_out_of_the_readable_directory(
    jail: Bubblewrap, probe: bytes, visible: Path
) -> None:
    (visible / "link").symlink_to("/etc")
    jail = dataclasses.replace(jail, readable=(visible,))

    with pytest.raises(CannotJail, match="outside the directories"):
        jail.run(command(probe, "ids", binds=(Bind(PurePosixPath(visible / "link"), "/seen"),)))


@as_root
def test_a_directory_that_the_jails_user_cannot_reach_is_named(
    jail: Bubblewrap, probe: bytes, visible: Path
) -> None:
    closed = visible / "closed"
    closed.mkdir(mode=0o700)
    (closed / "tools").mkdir(mode=0o755)
    jail = dataclasses.replace(jail, readable=(visible,))

    with pytest.raises(CannotJail, match=r"cannot reach .*closed"):
        jail.run(command(probe, "ids", binds=(Bind(PurePosixPath(closed / "tools"), "/seen"),)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"argv": ("probe",)}, "no plain absolute path"),
        ({"argv": ("/w/../usr/bin/true",)}, "no plain absolute path"),
        ({"files": (JailFile("/w/./x", b""),)}, "no plain absolute path"),
        ({"outputs": (Output("low", 2, 10),)}, "from 10 to 99"),
        ({"outputs": (Output("one", 10, 10), Output("two", 10, 10))}, "from 10 to 99"),
        ({"environment": (("A=B", "x"),)}, "environment"),
    ],
)
def test_a_malformed_command_is_our_mistake(
    jail: Bubblewrap, change: dict[str, object], message: str
) -> None:
    malformed = dataclasses.replace(JailCommand(("/usr/bin/true",), LIMITS), **change)  # type: ignore[arg-type]

    with pytest.raises(ValueError, match=message):
        jail.run(malformed)


def test_a_jail_that_cannot_be_made_says_what_to_do_and_runs_nothing(
    jail: Bubblewrap, probe: bytes
) -> None:
    # bwrap cannot make a file inside a read-only directory of the host.
    impossible = command(probe, "ids", files=(JailFile("/usr/bin/new", b""),))

    with pytest.raises(CannotJail, match="/usr/bin/new") as refused:
        jail.run(impossible)

    assert "user namespaces" in refused.value.action


class OddSlots(Slots):
    """Hands out numbers that setpriv takes and that leave the uid as it is."""

    @contextlib.contextmanager
    def take(self) -> Iterator[Slot]:
        yield Slot(0, self.count, "PTXBOARD_JAIL_0")


@as_root
@pytest.mark.parametrize("uid", [2**32 - 1, 2**40])
def test_a_worker_that_does_not_become_another_user_runs_nothing(
    jail: Bubblewrap, probe: bytes, tmp_path: Path, uid: int
) -> None:
    with pytest.raises(CannotJail, match="would run as uid 0/0/0/0"):
        dataclasses.replace(jail, slots=OddSlots(tmp_path, uid)).run(command(probe, "ids"))
