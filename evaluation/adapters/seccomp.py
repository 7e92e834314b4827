"""The coarse system call filter of every jail (docs/rules.md, R3), as classic BPF for x86-64.

The list names what no compiler, reader or recorder needs. Everything newer than Linux 6.1 answers "no such call", so
that a jail behaves the same on every kernel. Calls through the 32-bit or x32 tables end the process.
"""

import errno
import struct
from collections.abc import Sequence

# <linux/filter.h>: load a word of seccomp_data, compare, test bits, return.
_LOAD = 0x20
_JUMP_EQUAL = 0x15
_JUMP_GREATER = 0x25
_JUMP_ANY_BIT = 0x45
_KEEP_BITS = 0x54
_RETURN = 0x06

# <linux/seccomp.h>: actions and places in seccomp_data. Little endian: the low half of an argument comes first.
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_KILL_PROCESS = 0x80000000
_NUMBER_AT = 0
_ARCHITECTURE_AT = 4
_FIRST_ARGUMENT_AT = 16
_SECOND_ARGUMENT_AT = 24
_THIRD_ARGUMENT_AT = 32

_X86_64 = 0xC000003E
_X32_BIT = 0x40000000
_LAST_KNOWN = 450  # set_mempolicy_home_node, the last call of Linux 6.1

_CLONE = 56
# Its flags are behind a pointer, which a filter cannot read; told "no such call", libc falls back to clone.
_CLONE3 = 435
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET
_SOCKET = 41
_UNIX = 1
_INTERNET = 2
_IOCTL = 16
_MKNODAT = 259
_FILE_TYPE = 0xF000  # <linux/stat.h>
_NAMED_PIPE = 0x1000
_TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX: type into the operator's terminal

DENIED: tuple[tuple[str, int], ...] = (
    # memory that no tmpfs size and no rlimit counts
    ("memfd_create", 319), ("memfd_secret", 447),
    ("shmget", 29), ("shmat", 30), ("shmctl", 31), ("shmdt", 67),
    ("semget", 64), ("semop", 65), ("semctl", 66), ("semtimedop", 220),
    ("msgget", 68), ("msgsnd", 69), ("msgrcv", 70), ("msgctl", 71),
    ("mq_open", 240), ("mq_unlink", 241),
    # network and descriptor passing
    ("socket", 41), ("socketpair", 53), ("connect", 42), ("bind", 49), ("listen", 50),
    ("accept", 43), ("accept4", 288),
    # other processes
    ("ptrace", 101), ("process_vm_readv", 310), ("process_vm_writev", 311),
    ("process_madvise", 440), ("kcmp", 312),
    ("pidfd_open", 434), ("pidfd_getfd", 438), ("pidfd_send_signal", 424),
    # large kernel surfaces
    ("userfaultfd", 323), ("io_uring_setup", 425), ("io_uring_enter", 426),
    ("io_uring_register", 427), ("io_setup", 206), ("bpf", 321), ("perf_event_open", 298),
    ("keyctl", 250), ("add_key", 248), ("request_key", 249),
    ("vmsplice", 278), ("fanotify_init", 300), ("fanotify_mark", 301),
    # mounts, roots and namespaces
    ("mount", 165), ("umount2", 166), ("pivot_root", 155), ("chroot", 161),
    ("move_mount", 429), ("open_tree", 428), ("fsopen", 430), ("fsconfig", 431),
    ("fsmount", 432), ("fspick", 433), ("mount_setattr", 442),
    ("unshare", 272), ("setns", 308),
    ("open_by_handle_at", 304), ("name_to_handle_at", 303),
    ("mknod", 133), ("mknodat", 259),
    # the machine itself
    ("init_module", 175), ("finit_module", 313), ("delete_module", 176),
    ("kexec_load", 246), ("kexec_file_load", 320), ("reboot", 169),
    ("swapon", 167), ("swapoff", 168), ("acct", 163), ("quotactl", 179), ("quotactl_fd", 443),
    ("syslog", 103), ("settimeofday", 164), ("clock_settime", 227),
    ("adjtimex", 159), ("clock_adjtime", 305), ("vhangup", 153),
    ("sethostname", 170), ("setdomainname", 171), ("iopl", 172), ("ioperm", 173),
    ("modify_ldt", 154), ("personality", 135), ("lookup_dcookie", 212),
    ("uselib", 134), ("ustat", 136), ("sysfs", 139), ("_sysctl", 156), ("nfsservctl", 180),
    ("move_pages", 279), ("migrate_pages", 256), ("mbind", 237),
    ("set_mempolicy", 238), ("get_mempolicy", 239), ("set_mempolicy_home_node", 450),
)  # fmt: skip


# CUDA's driver asks on which memory node it is, places its buffers there, and makes memory files. In a jail with a GPU
# a control group bounds all of that together. It does not start without a Unix socket to listen at (driver 580 on an
# H200: CUDA_ERROR_OPERATING_SYSTEM); the jail's network is its own and empty, and nobody can connect.
FOR_DEVICES = frozenset(
    (
        *("memfd_create", "get_mempolicy", "set_mempolicy", "mbind", "move_pages"),
        *("socket", "bind", "listen"),
    )
)

# Nsight Compute and compute-sanitizer start our own replay with a library of theirs preloaded, which talks to them over
# sockets, of Unix or of the jail's loopback, and they look into its memory. The jail's network is its own and empty and
# so is its view of processes: whom they can reach is our replay alone, and no host code of a candidate is in there.
FOR_INSTRUMENTS = FOR_DEVICES | frozenset(
    (
        *("connect", "accept", "accept4", "socketpair"),
        *("ptrace", "process_vm_readv", "process_vm_writev"),
        "mknodat",  # for a named pipe and nothing else
    )
)


def coarse_filter() -> bytes:
    """Return the filter as an array of struct sock_filter, as ``bwrap --seccomp`` reads it."""
    return _filter(tuple(number for _, number in DENIED))


def device_filter() -> bytes:
    """Return the filter of a jail that has a GPU: the same, less what the driver needs."""
    return _filter(tuple(number for name, number in DENIED if name not in FOR_DEVICES))


def instrument_filter() -> bytes:
    """Return the filter of a jail in which a tool watches a GPU program of ours."""
    denied = tuple(number for name, number in DENIED if name not in FOR_INSTRUMENTS)
    return _filter(denied, families=(_UNIX, _INTERNET), only=_only_named_pipes())


def _only_named_pipes() -> tuple[bytes, ...]:
    refuse = _ERRNO | errno.EPERM
    kind = (_load(_THIRD_ARGUMENT_AT), _step(_KEEP_BITS, value=_FILE_TYPE))
    return _only_for(_MKNODAT, (*kind, *_unless_equal(_NAMED_PIPE, refuse)))


def _filter(
    denied: tuple[int, ...],
    families: tuple[int, ...] = (_UNIX,),
    only: tuple[bytes, ...] = (),
) -> bytes:
    """Build a filter; ``only`` are further calls that are allowed for some arguments."""
    refuse = _ERRNO | errno.EPERM
    absent = _ERRNO | errno.ENOSYS
    return b"".join(
        (
            _load(_ARCHITECTURE_AT),
            *_unless_equal(_X86_64, _KILL_PROCESS),
            _load(_NUMBER_AT),
            *_when(_JUMP_ANY_BIT, _X32_BIT, _KILL_PROCESS),
            *_when(_JUMP_GREATER, _LAST_KNOWN, absent),
            *_when(_JUMP_EQUAL, _CLONE3, absent),
            *_each(denied, refuse),
            *_only_for(
                _CLONE,
                (_load(_FIRST_ARGUMENT_AT), *_when(_JUMP_ANY_BIT, _NEW_NAMESPACES, refuse)),
            ),
            *_only_for(_SOCKET, (_load(_FIRST_ARGUMENT_AT), *_unless_any(families, refuse))),
            *only,
            *_only_for(_IOCTL, (_load(_SECOND_ARGUMENT_AT), *_each(_TERMINAL_INPUT, refuse))),
            _return(_ALLOW),
        )
    )


def _step(code: int, *, if_true: int = 0, if_false: int = 0, value: int) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)


def _load(offset: int) -> bytes:
    return _step(_LOAD, value=offset)


def _return(action: int) -> bytes:
    return _step(_RETURN, value=action)


def _when(test: int, value: int, action: int) -> tuple[bytes, bytes]:
    return _step(test, if_false=1, value=value), _return(action)


def _unless_equal(value: int, action: int) -> tuple[bytes, ...]:
    return _unless_any((value,), action)


def _unless_any(values: Sequence[int], action: int) -> tuple[bytes, ...]:
    """Go on behind the action for any of the values: each test jumps over the rest."""
    tests = (
        _step(_JUMP_EQUAL, if_true=len(values) - place, value=value)
        for place, value in enumerate(values)
    )
    return *tests, _return(action)


def _each(values: Sequence[int], action: int) -> tuple[bytes, ...]:
    return tuple(step for value in values for step in _when(_JUMP_EQUAL, value, action))


def _only_for(number: int, body: Sequence[bytes]) -> tuple[bytes, ...]:
    """Run ``body`` for one call only; it ends in "allow", because it has overwritten the loaded number."""
    steps = (*body, _return(_ALLOW))
    return _step(_JUMP_EQUAL, if_false=len(steps), value=number), *steps
