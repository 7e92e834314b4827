"""What /proc says of processes, some of which may have gone meanwhile."""

from pathlib import Path


def living() -> list[int]:
    numbers = [int(one.name) for one in Path("/proc").iterdir() if one.name.isdecimal()]
    return [pid for pid in numbers if _fields(pid)[:1] not in ([], [b"Z"])]


def parent(pid: int) -> int:
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def _fields(pid: int) -> list[bytes]:
    return read(pid, "stat").rpartition(b")")[2].split()


def read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""
