"""How the pages of a filled site do under load: sizes, latencies at a fixed rate, and how much it answers at most.

    manage.py generate_turns && manage.py rebuild_standings       # into an empty database
    PYTHONPATH=. .venv/bin/python benchmarks/board_load.py [--rate 20] [--seconds 30] [--read-only]

Settings come from PTXBOARD_HOME and PTXBOARD_DATABASE_URL. The web server is started here twice, with 2 processes of 4
threads: once it keeps no page, so that each is made anew for every request, and once it keeps as many as it does by
default. ``--read-only`` leaves out the verdicts, which are written into the database and stay there.
"""

import argparse
import os
import random
import re
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from web_load import (
    CLIENTS,
    REQUEST_SECONDS,
    SATURATED_SECONDS,
    SATURATING,
    Answer,
    Answers,
    Load,
    Site,
    serving,
    used_by,
)

PROBLEMS = (
    *("gemm_n7168_k5120", "mha_bwd_d128", "mha_bwd_d128_causal"),
    *("mha_with_lse_d128", "mha_with_lse_d128_causal"),
)
PLACES = (
    *("correctness/hopper", "instruction/hopper", "correctness/blackwell"),
    *("instruction/blackwell", "speed/h200", "speed/b200"),
)
BOARDS = tuple(
    f"/boards/{place}/{query}"
    for place in PLACES
    for query in ("", *(f"?problem={one}" for one in PROBLEMS))
)
OTHERS = {
    "home": ("/",),
    "list": ("/problems/", "/models/"),
    "problem": tuple(f"/problems/{one}/" for one in PROBLEMS),
}
LINKS = {
    "entry": r'href="(/entries/[0-9a-f-]+/)"',
    "model": r'href="(/models/[a-z0-9-]+/)"',
    "kernel": r'href="(/kernels/[0-9a-f]+/)"',
    "trajectory": r'href="(/trajectories/[0-9a-f-]+/)',
    "run": r'href="(/runs/[0-9a-f-]+/)"',
}
CHART = re.compile(rb'<figure class="chart".*?</figure>', re.DOTALL)
PAGES_KEPT = 200


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=20, help="requests a second (%(default)s)")
    parser.add_argument("--seconds", type=float, default=30, help="of each load (%(default)s)")
    parser.add_argument("--read-only", action="store_true", help="write no verdicts")
    asked = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    points = " ".join(f"{one:>8}" for one in ("p50 ms", "p95 ms", "p99 ms"))
    print(f"{'':34} {'number':>7} {points} {'largest kB':>11} {'processor ms':>13} {'idle':>5}")
    with ThreadPoolExecutor(CLIENTS) as pool:
        with serving(pages_kept=0) as site:
            uncached(Load(pool, site, rate=asked.rate, seconds=asked.seconds))
        with serving(pages_kept=PAGES_KEPT) as site:
            if not asked.read_only:
                show("a verdict, until its board shows it", used_by(site, verdicts(site)), "2000")
            kept(Load(pool, site, rate=asked.rate, seconds=asked.seconds))


def uncached(load: Load) -> None:
    """Pages that are made for every request."""
    boards = load.in_turn(BOARDS, times=3)
    show("one board after the other", boards)
    bare = max(len(CHART.sub(b"", one.body)) for one in boards.each) / 1000
    print(f"the largest board without its chart: {bare:.1f} kB, goal 200")
    show(f"boards, {load.rate:g}/s", load.open(load.site.get, BOARDS), "80")
    beside = replace(load, rate=load.rate / 4)
    for name, paths in {**OTHERS, **linked(boards.each)}.items():
        show(f"{name} pages, {beside.rate:g}/s", beside.open(load.site.get, paths))
    saturated("boards", load.saturating(load.site.get, BOARDS))


def kept(load: Load) -> None:
    """Pages that the server keeps, and pages that visitors have."""
    etags = {path: load.site.get(path).etag for path in BOARDS}

    def again(path: str) -> Answer:
        return load.site.get(path, etags[path])

    load.saturating(load.site.get, BOARDS)  # each process keeps its own
    show(f"kept boards, {load.rate:g}/s", load.open(load.site.get, BOARDS), "15")
    show(f"boards by ETag, {load.rate:g}/s", load.open(again, BOARDS), "15", status=304)
    saturated("kept boards", load.saturating(load.site.get, BOARDS), "300")
    saturated("boards by ETag", load.saturating(again, BOARDS), "300")


def linked(boards: Sequence[Answer]) -> dict[str, tuple[str, ...]]:
    """Pages that boards lead to, at most 40 of each kind."""
    found: dict[str, dict[str, None]] = {name: {} for name in LINKS}
    for board in boards:
        for name, pattern in LINKS.items():
            found[name] |= dict.fromkeys(re.findall(pattern, board.body.decode()))
    return {name: (*paths,)[:40] for name, paths in found.items() if paths}


def verdicts(site: Site) -> Iterator[Answer]:
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


def show(name: str, answers: Answers, goal: str = "", *, status: int = 200) -> None:
    """Print a line; ``goal`` is what p95 has to stay below, in milliseconds."""
    each = answers.each
    times = sorted(1000 * one.seconds for one in each)
    points = " ".join(f"{times[int(share * (len(times) - 1))]:8.0f}" for share in (0.5, 0.95, 0.99))
    largest = max(one.size for one in each) / 1000
    processor = 1000 * answers.processor_seconds / len(each)
    note = f"  goal for p95: {goal}" if goal else ""
    wrong = sum(one.status != status for one in each)
    note += f"  {wrong} answered otherwise than {status}" if wrong else ""
    print(
        f"{name:34} {len(each):7} {points} {largest:11.1f} {processor:13.1f} {answers.idle:5.0%}{note}".rstrip(),
        flush=True,
    )


def saturated(name: str, answers: Answers, goal: str = "") -> None:
    rate = len(answers.each) / SATURATED_SECONDS
    note = f", goal {goal}" if goal else ""
    print(
        f"{name}, {SATURATING} at once: {rate:.0f} answers a second{note}, idle {answers.idle:.0%}",
        flush=True,
    )


if __name__ == "__main__":
    main()
