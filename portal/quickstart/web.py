"""The web server: the socket it is given, how it is started, and whether the site answers behind it."""

import errno
import http.client
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

from portal.quickstart.service import Service
from portal.quickstart.state_folder import Unusable

HOST = "127.0.0.1"
USUAL_PORT = 8000

_ANSWER_SECONDS = 1.0
_BACKLOG = 512


def listen(port: int | None) -> socket.socket:
    """Listen on this machine alone: on ``port``, or on the usual port or any free one. Raise Unusable.

    We keep the socket for as long as the product runs, so that a web server that starts again finds it as it was.
    """
    try:
        return _bound(USUAL_PORT if port is None else port)
    except OSError as error:
        if port is None and error.errno in (errno.EADDRINUSE, errno.EACCES):
            return _bound(0)
        raise Unusable(
            f"cannot listen on {HOST}, port {port}: {error.strerror}\n"
            "choose another one with --port, or leave it out for a free one"
        ) from error


def _bound(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen(_BACKLOG)
    except OSError:
        listening.close()
        raise
    return listening


def service(listening: socket.socket, environment: Mapping[str, str]) -> Service:
    descriptor = listening.fileno()
    command = (
        *(sys.executable, "-P", "-m", "gunicorn", "portal.wsgi:application"),
        *("--bind", f"fd://{descriptor}"),
        *("--worker-class", "gthread", "--workers", "2", "--threads", "4"),
        *("--timeout", "120", "--graceful-timeout", "5"),
        "--no-control-socket",  # it would offer to stop and kill, in the home directory
    )
    return Service(
        "web",
        command,
        environment,
        ready=partial(answers, port_of(listening)),
        descriptors=(descriptor,),
    )


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def answers(port: int) -> bool:
    """Whether the site says anything but that it is at fault; what it says depends on how it is set up."""
    connection = http.client.HTTPConnection(HOST, port, timeout=_ANSWER_SECONDS)
    with suppress(OSError, http.client.HTTPException):
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status < http.HTTPStatus.INTERNAL_SERVER_ERROR
        finally:
            connection.close()
    return False
