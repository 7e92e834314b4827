"""A jailed command that lives on: it inherits a socket, is watched, ends by itself or is killed."""

import os
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.adapters.jail_process import JailProcess
from evaluation.adapters.jail_service import JailedService, ServiceEnd
from evaluation.adapters.jail_view import limit_arguments, view_arguments
from evaluation.adapters.sandbox import Bubblewrap
from evaluation.adapters.seccomp import DENIED, FOR_DEVICES, coarse_filter, device_filter
from evaluation.adapters.slots import Slots
from evaluation.core.errors import CannotJail, ToolFailure
from evaluation.core.ports import JailCommand, Limits

pytestmark = pytest.mark.toolchain

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
SOCKET = 10


def descriptors() -> list[str]:
    return os.listdir("/proc/self/fd")  # noqa: PTH208 - names are numbers here


@pytest.fixture
def jail(jail: Bubblewrap, tmp_path: Path) -> Bubblewrap:
    """One with few slots of its own, where the suite's can jail at all; else that skips."""
    assert jail.slots.directory != tmp_path / "slots"
    return Bubblewrap((), Slots(tmp_path / "slots", count=2))


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        ours.settimeout(60)
        yield ours, theirs


def start(
    jail: Bubblewrap, theirs: socket.socket, script: str, devices: tuple[str, ...] = ()
) -> JailedService:
    command = JailCommand(("/usr/bin/sh", "-c", script), LIMITS, devices=devices)
    service = jail.start(command, inherit={SOCKET: theirs.fileno()})
    theirs.close()
    return service


def test_it_speaks_over_the_socket_that_it_inherited(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    script = f"import socket; s = socket.socket(fileno={SOCKET}); s.send(b'heard ' + s.recv(99)); exit(3)"
    service = start(jail, theirs, f'exec /usr/bin/python3 -I -c "{script}"')
    ours.sendall(b"something")
    assert ours.recv(100) == b"heard something"
    assert service.ended(seconds=60)
    assert service.end() == ServiceEnd(exit_code=3, signal=None)
    assert service.kill(seconds=60)


def test_its_death_by_a_signal_is_told(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket]
) -> None:
    service = start(jail, ends[1], "kill -SEGV $$")
    assert service.ended(seconds=60)
    assert service.end() == ServiceEnd(exit_code=None, signal=11)
    assert service.kill(seconds=60)


def test_a_killed_one_is_gone_and_its_socket_closed(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    service = start(jail, theirs, "sleep 600 & sleep 600")
    assert not service.ended(seconds=0)
    assert service.kill(seconds=60)
    assert ours.recv(100) == b""
    assert service.kill(seconds=60)  # a second time does nothing


def test_the_slot_is_free_again_when_it_is_gone(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket]
) -> None:
    taken = Bubblewrap((), Slots(jail.slots.directory, count=1))
    before = descriptors()
    for _ in range(2):
        ours, theirs = socket.socketpair()
        with ours:
            assert start(taken, theirs, "sleep 600").kill(seconds=60)
    assert sorted(descriptors()) == sorted(before)


def test_a_device_that_is_not_there_is_our_fault(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket]
) -> None:
    ours, theirs = ends
    with pytest.raises(CannotJail, match="nvidia9"):
        start(jail, theirs, "true", devices=("/dev/nvidia9",))
    theirs.close()
    assert ours.recv(100) == b""


@pytest.mark.parametrize(
    "device", ["/dev/sda", "/dev/nvidia0/../sda", "/dev/nvidia-caps", "nvidia0"]
)
def test_no_other_device_is_ever_shown(jail: Bubblewrap, device: str) -> None:
    command = JailCommand(("/usr/bin/true",), LIMITS, devices=(device,))
    with pytest.raises(ValueError, match="NVIDIA"):
        jail.run(command)


def test_a_jail_with_devices_has_proc_and_no_bound_on_addresses() -> None:
    plain = JailCommand(("/usr/bin/true",), LIMITS)
    devices = ("/dev/nvidia3", "/dev/nvidiactl")
    with_device = JailCommand(("/usr/bin/true",), LIMITS, devices=devices, proc=True)
    assert f"--as={LIMITS.memory_bytes}" in limit_arguments(plain)
    assert not any(one.startswith("--as") for one in limit_arguments(with_device))
    words = list(view_arguments(with_device, files=()))
    assert words[words.index("/dev/nvidia3") - 1] == "--dev-bind"
    assert words.index("/dev/nvidiactl") < words.index("--remount-ro") < words.index("--proc")
    assert "--proc" not in view_arguments(plain, files=())


def test_the_filter_of_a_jail_with_devices_lets_the_driver_start_and_nothing_else() -> None:
    names = {name for name, _ in DENIED}
    assert names >= FOR_DEVICES
    # Two instructions of eight bytes for each call that is no longer refused.
    assert len(coarse_filter()) - len(device_filter()) == 2 * 8 * len(FOR_DEVICES)


_SOCKETS = """
import socket
def tried(act):
    try:
        act()
        return "yes"
    except PermissionError:
        return "no"
own = socket.socket(socket.AF_UNIX)
print(tried(lambda: own.bind(b"\\0own")), tried(lambda: own.listen()))
print(tried(lambda: socket.socket(socket.AF_UNIX).connect(b"\\0own")))
print(tried(lambda: socket.socket(socket.AF_INET)), tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)))
"""


@pytest.mark.usefixtures("jail")
def test_a_jail_with_devices_may_listen_at_a_unix_socket_and_can_reach_nobody() -> None:
    """The driver does not start without one; other families and connecting stay refused."""
    filters = os.memfd_create("filter")
    os.write(filters, device_filter())
    os.lseek(filters, 0, os.SEEK_SET)
    words = ("/usr/bin/bwrap", "--unshare-user", "--dev-bind", "/", "/", "--seccomp", str(filters))

    said = subprocess.run(
        (*words, "/usr/bin/python3", "-I", "-c", _SOCKETS),
        pass_fds=(filters,), capture_output=True, text=True, check=True,
    )  # fmt: skip
    os.close(filters)

    assert said.stdout.splitlines() == ["yes yes", "no", "no no"]


def test_one_that_does_not_die_is_left_and_its_slot_stays_taken(
    jail: Bubblewrap, ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = descriptors()
    service = start(jail, ends[1], "sleep 600")
    pid = service.process.pid

    def stuck(_: JailProcess, *, seconds: float) -> None:
        raise ToolFailure(f"a killed process does not die in {seconds} s")

    monkeypatch.setattr(JailProcess, "reap", stuck)
    assert service.kill(seconds=0.1) is False
    assert service.kill(seconds=0.1) is True  # a second time does nothing
    monkeypatch.undo()
    os.waitpid(pid, 0)
    # Nothing of ours is left open, and the next holder of the slot is told to sweep.
    assert len(descriptors()) == len(before) - 1  # the socket that the service got
    marks = [path.read_bytes() for path in jail.slots.directory.iterdir()]
    assert marks == [b"in use\n"]
