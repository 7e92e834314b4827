"""A web server of the site, started for a benchmark, and loads to put on it.

Requests of an open load are sent at their planned times, whatever the answers do, and latencies count from those times:
a site that stalls cannot hide it by being asked less.
"""

import http.client
import itertools
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER = (
    *("--workers", "2", "--worker-class", "gthread", "--threads", "4", "--keep-alive", "30"),
    *("--no-control-socket", "--log-level", "warning"),
)
HOST = "127.0.0.1"
CLIENTS = 32  # at once; an open load needs as many as stall together
SATURATING = 16
SATURATED_SECONDS = 10.0
START_SECONDS = 60.0
REQUEST_SECONDS = 30.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Answer:
    """``seconds`` from when it was asked, in an open load from when it was planned; ``size`` of the body in bytes."""

    status: int
    seconds: float
    size: int
    etag: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Answers:
    """``processor_seconds`` of all processes of the web server together, without the database's.

    ``idle`` is the share of the machine's processors that nobody used meanwhile: where it is nothing, latencies say
    how long processes waited for their turn.
    """

    each: tuple[Answer, ...]
    processor_seconds: float
    idle: float


class Site:
    """Answers of the site; every thread keeps a connection, and nothing is sent that a browser would not send."""

    def __init__(self, port: int, server: int) -> None:
        self._port = port
        self._server = server
        self._own = threading.local()

    def get(self, path: str, etag: str = "") -> Answer:
        start = time.monotonic()
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._ask(path, headers)
        body = answer.read()
        told = answer.headers.get("ETag", "")
        return Answer(answer.status, time.monotonic() - start, len(body), told, body)

    def processor_seconds(self) -> float:
        """Of the server and of its workers, since they started."""
        children = Path(f"/proc/{self._server}/task/{self._server}/children").read_text().split()
        return sum(_processor_seconds(one) for one in (str(self._server), *children))

    def _ask(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        try:
            return self._asked(path, headers)
        except (http.client.HTTPException, OSError):  # the server ended a connection that was idle
            self._own.kept = None
            return self._asked(path, headers)

    def _asked(self, path: str, headers: dict[str, str]) -> http.client.HTTPResponse:
        kept: http.client.HTTPConnection | None = getattr(self._own, "kept", None)
        if kept is None:
            kept = http.client.HTTPConnection(HOST, self._port, timeout=REQUEST_SECONDS)
            self._own.kept = kept
        kept.request("GET", path, headers=headers)
        return kept.getresponse()


def _processor_seconds(process: str) -> float:
    # After the name, which may have any character in it, utime and stime are the 12th and 13th words.
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / _TICKS


Ask = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class Load:
    """``rate`` in requests a second, of an open load that takes ``seconds``."""

    pool: ThreadPoolExecutor
    site: Site
    rate: float
    seconds: float

    def in_turn(self, paths: Sequence[str], *, times: int = 1) -> Answers:
        """One request after the other, from one connection."""
        return used_by(self.site, (self.site.get(path) for path in paths for _ in range(times)))

    def open(self, ask: Ask, paths: Sequence[str]) -> Answers:
        def answers() -> Iterator[Answer]:
            begin = time.monotonic() + 0.1
            waiting = []
            for number in range(int(self.rate * self.seconds)):
                planned = begin + number / self.rate
                time.sleep(max(0.0, planned - time.monotonic()))
                path = paths[number % len(paths)]
                waiting.append(self.pool.submit(_late, ask, path, planned))
            yield from (one.result() for one in waiting)

        return used_by(self.site, answers())

    def saturating(self, ask: Ask, paths: Sequence[str]) -> Answers:
        """From several connections, each asking again as soon as it was answered, for SATURATED_SECONDS."""
        end = time.monotonic() + SATURATED_SECONDS

        def again(first: int) -> list[Answer]:
            found: list[Answer] = []
            for path in itertools.islice(itertools.cycle(paths), first, None):
                if time.monotonic() > end:
                    return found
                found.append(ask(path))
            return found

        def answers() -> Iterator[Answer]:
            for found in self.pool.map(again, range(SATURATING)):
                yield from found

        return used_by(self.site, answers())


def used_by(site: Site, answers: Iterable[Answer]) -> Answers:
    """Take the answers, which are asked for as they are taken, and see what is used meanwhile."""
    (every, idle), server = _machine_ticks(), site.processor_seconds()
    each = tuple(answers)
    (every_then, idle_then), server_then = _machine_ticks(), site.processor_seconds()
    return Answers(each, server_then - server, (idle_then - idle) / max(1, every_then - every))


def _machine_ticks() -> tuple[int, int]:
    """Of all processors together since the machine started, and those of them in which one had nothing to do."""
    words = Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    return sum(map(int, words)), int(words[3]) + int(words[4])


def _late(ask: Ask, path: str, planned: float) -> Answer:
    answer = ask(path)
    taken = time.monotonic() - planned
    return Answer(answer.status, taken, answer.size, answer.etag, b"")


@contextmanager
def serving(*, pages_kept: int) -> Iterator[Site]:
    """Run a web server whose processes keep so many pages each."""
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = int(free.getsockname()[1])
    program = str(Path(sys.executable).with_name("gunicorn"))
    server = subprocess.Popen(  # noqa: S603 (our own)
        [program, *SERVER, "--bind", f"{HOST}:{port}", "portal.wsgi"],
        env={**os.environ, "PTXBOARD_PAGES_KEPT": str(pages_kept)},
    )
    try:
        site = Site(port, server.pid)
        _wait(site)
        yield site
    finally:
        server.terminate()
        server.wait()


def _wait(site: Site) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            if site.get("/healthz").status == 200:
                return
        except OSError:
            if time.monotonic() > end:
                sys.exit("the web server did not start")
            time.sleep(0.2)
