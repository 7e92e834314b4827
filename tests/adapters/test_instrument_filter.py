"""The filter of jails in which a tool of NVIDIA's watches a replay: what it lets through, and when it is taken."""

import contextlib
import os
import subprocess
from pathlib import Path

import pytest

from evaluation.adapters import jail_ends
from evaluation.adapters.pipes import ChildDescriptors
from evaluation.adapters.seccomp import (
    DENIED,
    FOR_DEVICES,
    FOR_INSTRUMENTS,
    coarse_filter,
    device_filter,
    instrument_filter,
)
from evaluation.core.ports import JailCommand, Limits

LIMITS = Limits(5.0, 5, 1 << 30, 1 << 20, 1 << 20, 8, 32, 1024, 1024)
DEVICES = ("/dev/nvidia0",)

_TRIED = """
import os, socket, stat
def tried(act):
    try:
        act()
        return "yes"
    except PermissionError:
        return "no"
one = socket.socket(socket.AF_INET)
one.bind(("127.0.0.1", 0))
one.listen()
print(tried(lambda: socket.create_connection(one.getsockname())), tried(one.accept), tried(socket.socketpair))
os.umask(0o077)
for place, kind in enumerate((stat.S_IFIFO, stat.S_IFREG, stat.S_IFSOCK, 0)):
    print(tried(lambda: os.mknod(f"{os.environ['PLACE']}/{place}", kind | 0o600)), end=" ")
print(os.listdir(os.environ["PLACE"]))
print(tried(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)), tried(lambda: socket.socket(socket.AF_INET6)))
"""


def test_it_lets_through_what_a_device_needs_and_named_calls_more() -> None:
    assert {name for name, _ in DENIED} >= FOR_INSTRUMENTS > FOR_DEVICES
    assert "ptrace" in FOR_INSTRUMENTS
    assert not FOR_INSTRUMENTS & {"mount", "unshare", "bpf", "pidfd_getfd", "userfaultfd"}


@pytest.mark.toolchain
@pytest.mark.usefixtures("jail")  # skips where no namespaces can be made
def test_a_tool_may_talk_over_the_loopback_and_named_pipes_and_nothing_else(
    tmp_path: Path,
) -> None:
    filters = os.memfd_create("filter")
    os.write(filters, instrument_filter())
    os.lseek(filters, 0, os.SEEK_SET)
    words = ("--unshare-user", "--unshare-net", "--dev-bind", "/", "/", "--seccomp", str(filters))

    said = subprocess.run(
        ("/usr/bin/bwrap", *words, "/usr/bin/python3", "-I", "-c", _TRIED),
        pass_fds=(filters,), capture_output=True, text=True, check=True, env={"PLACE": str(tmp_path)},
    )  # fmt: skip
    os.close(filters)

    assert said.stdout.splitlines() == ["yes yes yes", "yes no no no ['0']", "no no"]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (JailCommand(("/usr/bin/true",), LIMITS), coarse_filter()),
        (JailCommand(("/usr/bin/true",), LIMITS, instrumented=True), coarse_filter()),
        (JailCommand(("/usr/bin/true",), LIMITS, devices=DEVICES), device_filter()),
        (
            JailCommand(("/usr/bin/true",), LIMITS, devices=DEVICES, instrumented=True),
            instrument_filter(),
        ),
    ],
    ids=["plain", "instrumented_without_device", "device", "instrumented"],
)
def test_the_filter_is_the_narrowest_that_the_command_can_do_with(
    command: JailCommand, expected: bytes
) -> None:
    with contextlib.ExitStack() as stack:
        child = ChildDescriptors(stack, reserved=jail_ends.reserved_numbers(command))
        assert jail_ends.open_ends(child, command).filter_content == expected
