"""How the pages of a filled site do under load: sizes, latencies at a fixed rate, and how much it answers at most.

    manage.py generate_turns && manage.py rebuild_standings       # into an empty database
    PYTHONPATH=. .venv/bin/python benchmarks/board_load.py [--rate 20] [--seconds 30]

Settings come from PTXBOARD_HOME and PTXBOARD_DATABASE_URL. The web server is started here: 2 processes of 4 threads.
Requests of an open load are sent at their planned times, whatever the answers do, and latencies count from those times:
a site that stalls cannot hide it by being asked less.
"""

import argparse
import http.client
import itertools
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

SERVER = (
    *("--workers", "2", "--worker-class", "gthread", "--threads", "4", "--keep-alive", "30"),
    *("--no-control-socket", "--log-level", "warning"),
)
HOST = "127.0.0.1"
CLIENTS = 32  # at once; an open load needs as many as stall together
SATURATING = 16
START_SECONDS = 60.0
REQUEST_SECONDS = 30.0
PROBLEMS = (
    *("gemm_n7168_k5120", "mha_bwd_d128", "mha_bwd_d128_causal"),
    *("mha_with_lse_d128", "mha_with_lse_d128_causal"),
)
PLACES = (
    *("correctness/hopper", "instruction/hopper", "correctness/blackwell"),
    *("instruction/blackwell", "speed/h200", "speed/b200"),
)
LINKS = {
    "entry": r'href="(/entries/[0-9a-f-]+/)"',
    "model": r'href="(/models/[a-z0-9-]+/)"',
    "kernel": r'href="(/kernels/[0-9a-f]+/)"',
    "trajectory": r'href="(/trajectories/[0-9a-f-]+/)',
    "run": r'href="(/runs/[0-9a-f-]+/)"',
}


@dataclass(frozen=True, slots=True)
class Answer:
    """``seconds`` from when it was asked, in an open load from when it was planned; ``size`` of the body in bytes."""

    status: int
    seconds: float
    size: int
    etag: str
    body: bytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=20, help="requests a second (%(default)s)")
    parser.add_argument("--seconds", type=float, default=30, help="of each load (%(default)s)")
    asked = parser.parse_args()
    boards = [
        f"/boards/{place}/{query}"
        for place in PLACES
        for query in ("", *(f"?problem={one}" for one in PROBLEMS))
    ]
    with serving() as port, ThreadPoolExecutor(CLIENTS) as pool:
        site = Site(port)
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        print(f"{'':34} {'number':>7} {'p50 ms':>8} {'p95 ms':>8} {'p99 ms':>8} {'largest kB':>11}")
        show("a verdict, until its board shows it", [*verdicts(site)], 200)
        etags = {path: site.get(path).etag for path in boards}
        pages = {"board": boards, **linked(site, boards)}
        for name, paths in pages.items():
            answers = [site.get(path) for path in paths for _ in range(3)]
            show(f"one {name} after the other", answers, 200)
        load = Load(pool, site, rate=asked.rate, seconds=asked.seconds)
        show(f"boards, {asked.rate:g}/s", load.open(site.get, boards), 200)
        known = load.open(lambda path: site.get(path, etags[path]), boards)
        show(f"boards by ETag, {asked.rate:g}/s", known, 304)
        beside = replace(load, rate=asked.rate / 4)
        for name, paths in pages.items():
            if name != "board":
                show(f"{name} pages, {beside.rate:g}/s", beside.open(site.get, paths), 200)
        saturate("boards by ETag", pool, lambda path: site.get(path, etags[path]), boards)
        saturate("boards", pool, site.get, boards)


def linked(site: "Site", boards: Sequence[str]) -> dict[str, list[str]]:
    """Pages that boards lead to, at most 40 of each kind."""
    found: dict[str, dict[str, None]] = {name: {} for name in LINKS}
    for path in boards:
        text = site.get(path).body.decode()
        for name, pattern in LINKS.items():
            found[name] |= dict.fromkeys(re.findall(pattern, text))
    return {name: list(paths)[:40] for name, paths in found.items() if paths}


def verdicts(site: "Site") -> Iterator[Answer]:
    """Let twenty kernels have been judged again, and wait after each until the page of its board is another one.

    What a worker of the queue ``portal`` does is done here; the message that wakes it takes some milliseconds more.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    import django  # noqa: PLC0415 (settings come first)

    django.setup()
    from django.utils import timezone  # noqa: PLC0415 (the same)

    from evaluation.models import Entry, Run  # noqa: PLC0415 (the same)
    from portal.standings import refresh_standings  # noqa: PLC0415 (the same)

    shown = Entry.objects.public().filter(model__accepted_at__isnull=False, single_kernel=False)
    for entry in shown.order_by("-pk")[:20]:
        run = Run.objects.filter(kernel__turns__trajectory__entry=entry, correct="yes").first()
        if run is None or run.ratio is None:
            continue
        path = f"/boards/correctness/{run.target}/?problem={run.problem}"
        before = site.get(path).etag
        start = time.monotonic()
        # Another one each time: nothing on a board changes when the same ratio is found again.
        faster = run.ratio * random.uniform(1.01, 1.1)  # noqa: S311 (any will do)
        run.pk, run.uid, run.ratio, run.ratio_high = None, uuid.uuid4(), faster, faster * 1.01
        run.finished_at = run.boards_due_at = timezone.now()
        run.save(force_insert=True)
        refresh_standings(at=timezone.now())
        while (answer := site.get(path, before)).status == 304:
            if time.monotonic() - start > REQUEST_SECONDS:
                sys.exit(f"{path} did not change")
            time.sleep(0.01)
        yield replace(answer, seconds=time.monotonic() - start)


class Site:
    """Answers of the site; every thread keeps a connection, and nothing is sent that a browser would not send."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._own = threading.local()

    def get(self, path: str, etag: str = "") -> Answer:
        start = time.monotonic()
        headers = {"If-None-Match": etag} if etag else {}
        answer = self._ask(path, headers)
        body = answer.read()
        told = answer.headers.get("ETag", "")
        return Answer(answer.status, time.monotonic() - start, len(body), told, body)

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


@dataclass(frozen=True, slots=True)
class Load:
    pool: ThreadPoolExecutor
    site: Site
    rate: float
    seconds: float

    def open(self, ask: Callable[[str], Answer], paths: Sequence[str]) -> list[Answer]:
        begin = time.monotonic() + 0.1
        waiting = []
        for number in range(int(self.rate * self.seconds)):
            planned = begin + number / self.rate
            time.sleep(max(0.0, planned - time.monotonic()))
            path = paths[number % len(paths)]
            waiting.append(self.pool.submit(late, ask, path, planned))
        return [one.result() for one in waiting]


def late(ask: Callable[[str], Answer], path: str, planned: float) -> Answer:
    answer = ask(path)
    taken = time.monotonic() - planned
    return Answer(answer.status, taken, answer.size, answer.etag, b"")


def saturate(
    name: str, pool: ThreadPoolExecutor, ask: Callable[[str], Answer], paths: Sequence[str]
) -> None:
    """Ask from several connections, each again as soon as it was answered, for ten seconds."""
    end = time.monotonic() + 10

    def again(first: int) -> list[Answer]:
        found: list[Answer] = []
        for path in itertools.islice(itertools.cycle(paths), first, None):
            if time.monotonic() > end:
                return found
            found.append(ask(path))
        return found

    some = [one for many in pool.map(again, range(SATURATING)) for one in many]
    print(f"{name}, {SATURATING} at once: {len(some) / 10:.0f} answers a second")


def show(name: str, answers: Sequence[Answer], status: int) -> None:
    times = sorted(1000 * one.seconds for one in answers)
    wrong = sum(one.status != status for one in answers)
    largest = max(one.size for one in answers) / 1000
    points = " ".join(f"{times[int(share * (len(times) - 1))]:8.0f}" for share in (0.5, 0.95, 0.99))
    note = f"  {wrong} answered otherwise than {status}" if wrong else ""
    print(f"{name:34} {len(answers):7} {points} {largest:11.1f}{note}", flush=True)


@contextmanager
def serving() -> Iterator[int]:
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = int(free.getsockname()[1])
    program = str(Path(sys.executable).with_name("gunicorn"))
    server = subprocess.Popen([program, *SERVER, "--bind", f"{HOST}:{port}", "portal.wsgi"])  # noqa: S603 (our own)
    try:
        wait(port)
        yield port
    finally:
        server.terminate()
        server.wait()


def wait(port: int) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            if Site(port).get("/healthz").status == 200:
                return
        except OSError:
            if time.monotonic() > end:
                sys.exit("the web server did not start")
            time.sleep(0.2)


if __name__ == "__main__":
    main()
