"""What a jailed command sees: bubblewrap's and prlimit's arguments for one command, and what is never shown."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from evaluation.core.errors import CannotJail
from evaluation.core.ports import Bind, JailCommand

_NOBODY = "65534"  # inside; outside it is the jail's own uid
_STACK_BYTES = 8 << 20
_LOWEST_OUTPUT = 10
_HIGHEST_OUTPUT = 99

# Of /usr only what programs need to run and to compile: no /usr/local (a CUDA installation may live there), no share.
_SYSTEM_DIRECTORIES = ("/usr/bin", "/usr/include", "/usr/lib", "/usr/lib64", "/usr/libexec")
_ROOT_LINKS = ("/bin", "/lib", "/lib64")
_NEVER_READABLE = frozenset(
    Path(name)
    for name in (
        "/",
        "/boot",
        "/dev",
        "/etc",
        "/home",
        "/proc",
        "/root",
        "/run",
        "/sys",
        "/tmp",  # noqa: S108 - refused, not used
        "/usr",
        "/var",
    )
)

_DEVICE = re.compile(r"/dev/nvidia(\d{1,3}|ctl|-uvm|-uvm-tools)\Z")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*\Z")


def refuse_unsafe(command: JailCommand, readable: tuple[Path, ...]) -> None:
    """Raise ValueError for a command that no caller of ours may build, CannotJail for a bind that shows too much."""
    inside = (
        *(bind.destination for bind in command.binds),
        *(file.destination for file in command.files),
        command.argv[0],
    )
    for path in inside:
        if not path.startswith("/") or str(PurePosixPath(path)) != path or ".." in path.split("/"):
            raise ValueError(f"{path!r} is no plain absolute path inside the jail")
    numbers = [output.fd for output in command.outputs]
    if len(set(numbers)) != len(numbers) or not all(
        _LOWEST_OUTPUT <= n <= _HIGHEST_OUTPUT for n in numbers
    ):
        raise ValueError(f"output descriptors {numbers} are not distinct numbers from 10 to 99")
    if "=" in command.argv[0] or not all(_VARIABLE.match(name) for name, _ in command.environment):
        raise ValueError("a name in the jail's environment, or the program's, is malformed")
    if not all(_DEVICE.match(device) for device in command.devices):
        raise ValueError(f"{command.devices} are not all nodes of NVIDIA's driver")
    for bind in command.binds:
        _refuse_bind(bind, readable)


def _refuse_bind(bind: Bind, readable: tuple[Path, ...]) -> None:
    source = Path(bind.source).resolve()
    for directory in readable:
        top = directory.resolve()
        if top in _NEVER_READABLE or (top / ".git").exists() or top == Path.home():
            raise CannotJail(
                f"{top} must not be shown to a jail",
                action="keep the toolchain in a directory of its own",
            )
        if source == top or top in source.parents:
            _refuse_unreadable(source)
            return
    raise CannotJail(
        f"{source} lies outside the directories that a jail may see",
        action="remove links that lead out of the toolchain's folder and run bin/install-toolchain",
    )


def _refuse_unreadable(source: Path) -> None:
    """As root the jail has another uid, which must be able to get there."""
    if not source.exists():
        raise CannotJail(f"{source} is missing", action="run bin/install-toolchain")
    for path in (source, *source.parents):
        needed = stat.S_IXOTH if path.is_dir() else stat.S_IROTH
        if os.geteuid() == 0 and not path.stat().st_mode & needed:
            raise CannotJail(
                f"a jail's own user cannot reach {path}",
                action="keep the state folder (PTXBOARD_HOME) where everyone may read it",
            )


def isolation_arguments(*, mark: str, status: int, seccomp: int, view: int) -> Iterator[str]:
    """Arguments of bwrap that are the same for every jail; the numbers are descriptors.

    ``mark`` is a variable that nobody sets: clearing it changes nothing and makes the process findable. The ``view``
    comes through a pipe, so that bwrap waits there before it makes a process.
    """
    yield from ("--unsetenv", mark, "--clearenv", "--disable-userns")
    yield from ("--new-session", "--die-with-parent", "--cap-drop", "ALL", "--as-pid-1")
    yield from ("--uid", _NOBODY, "--gid", _NOBODY, "--hostname", "jail")
    yield from ("--json-status-fd", str(status), "--seccomp", str(seccomp), "--args", str(view))


def view_arguments(command: JailCommand, *, files: tuple[int, ...]) -> Iterator[str]:
    """What is where in the jail. ``files`` are descriptors with the contents of ``command.files``, in order.

    The namespaces come last: a bwrap whose worker has died before it said all of this finds ``--disable-userns`` and
    ``--hostname`` without them, and ends in that error before it makes a process that nobody would ever wake.
    """
    yield from _system()
    for bind in command.binds:
        yield from ("--ro-bind", str(Path(bind.source).resolve()), bind.destination)
    for file, descriptor in zip(command.files, files, strict=True):
        yield from ("--perms", "0555" if file.executable else "0444")
        yield from ("--file", str(descriptor), file.destination)
    yield from ("--dev", "/dev")
    for device in command.devices:
        yield from ("--dev-bind", device, device)
    yield from ("--remount-ro", "/dev")
    if command.proc:
        yield from ("--proc", "/proc")
    # No terminals: reading a fresh one waits for ever and uses no time, and a compiler opens what a source names.
    yield from ("--size", "4096", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
    yield from ("--size", str(command.limits.scratch_bytes), "--tmpfs", "/tmp")  # noqa: S108 - the jail's own
    yield from ("--chdir", "/tmp", "--remount-ro", "/")  # noqa: S108 - the same
    yield from ("--unshare-all", "--unshare-user")


def _system() -> Iterator[str]:
    for directory in _SYSTEM_DIRECTORIES:
        if Path(directory).is_dir():
            yield from ("--ro-bind", directory, directory)
    for link in map(Path, _ROOT_LINKS):
        if link.is_symlink():
            yield from ("--symlink", str(link.readlink()), str(link))
        elif link.is_dir():
            yield from ("--ro-bind", str(link), str(link))


def limit_arguments(command: JailCommand) -> Iterator[str]:
    """Arguments of prlimit. Set inside the jail, so that the worker's own processes do not count for NPROC."""
    limits = command.limits
    if not command.devices:
        yield f"--as={limits.memory_bytes}"
    yield f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}"
    yield f"--fsize={limits.file_bytes}"
    yield f"--nofile={limits.open_files}"
    yield f"--nproc={limits.processes}"
    yield f"--stack={_STACK_BYTES}"
    yield from ("--core=0", "--memlock=65536", "--msgqueue=0")
