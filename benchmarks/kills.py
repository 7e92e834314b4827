"""Kill processes of the whole product while kernels are handed in, and print whether anything was lost or doubled.

    PYTHONPATH=.:tests:tests/journeys .venv/bin/python benchmarks/kills.py
        [-n KILLS] [--every-step] [--on INSTALLATION] [--seed N]

Two hundred kills at random moments, or one of each process at each step of a kernel from its upload to the boards.
Every process is real; waits are shortened and tools follow a script, as in tests/journeys. ``messages`` is the broker
together with all that it keeps. The exit code is 1 where a promise was broken.
"""

import argparse
import secrets
import sys
import time
from collections import Counter

import pytest
from author import Author
from installations import INSTALLATIONS
from killing import PACE_SECONDS, Kill, kill_at, kill_at_random, what_is_broken
from product_rows import Rows
from run_steps import Step
from running_product import MESSAGES, SERVICES, Product


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-n", type=int, default=200, metavar="KILLS")
    parser.add_argument("--every-step", action="store_true", help="each process at each step")
    parser.add_argument("--on", choices=tuple(INSTALLATIONS), default="postgres_and_redis")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(1 << 32))
    given = parser.parse_args()
    began = time.monotonic()
    try:
        with INSTALLATIONS[given.on](pace_seconds=PACE_SECONDS) as running:
            author = Author.of(running)
            broken = (
                kill_at_every_step(running, author)
                if given.every_step
                else kill_often(running, author, kills=given.n, seed=given.seed)
            )
            broken += what_is_broken(running, author, look=tell)
    except pytest.skip.Exception as missing:
        sys.exit(str(missing))
    print(f"on               {given.on}, {time.monotonic() - began:.0f} s in all")
    print(f"broken promises  {len(broken)}")
    for one in broken:
        print(f"  {one}")
    return bool(broken)


def kill_at_every_step(running: Product, author: Author) -> list[str]:
    wanted = [
        Kill(service, step)
        for step in Step
        if step is not Step.NOTHING
        for service in (*SERVICES, MESSAGES)
    ]
    stayed = [kill_at(running, author, one) for one in wanted]
    print(
        f"kills            {len(wanted)}: each of {len(SERVICES) + 1} at each of {len(Step) - 1} steps"
    )
    return [one for one in stayed if one]


def kill_often(running: Product, author: Author, *, kills: int, seed: int) -> list[str]:
    print(f"seed             {seed}")
    hits = kill_at_random(running, author, kills=kills, seed=seed)
    of_each = Counter(one.service for one in hits)
    children = sum(one.child for one in hits)
    said = ", ".join(f"{name} {count}" for name, count in sorted(of_each.items()))
    print(f"kills            {len(hits)} in {hits[-1].seconds:.0f} s: {said}; {children} of pools")
    return []


def tell(running: Product) -> None:
    """Print what came of everything."""
    rows = Rows(running.database_url)
    handed_in = rows.one("SELECT count(*) FROM uploads_submission")
    print(f"kernels          {handed_in} handed in")
    for name, query in {
        "runs": "SELECT state || ' ' || verdict, count(*) FROM evaluation_run"
        " WHERE owner IN (SELECT owner FROM uploads_submission) GROUP BY state, verdict",
        "attempts": "SELECT half || ' ' || a.state, count(*) FROM evaluation_attempt a"
        " JOIN evaluation_run r ON r.id = a.run_id"
        " WHERE owner IN (SELECT owner FROM uploads_submission) GROUP BY half, a.state",
        "GPUs lost": "SELECT losses, count(*) FROM evaluation_run"
        " WHERE owner IN (SELECT owner FROM uploads_submission) GROUP BY losses",
    }.items():
        counted = ", ".join(f"{what}: {number}" for what, number in sorted(rows.all(query)))
        print(f"{name:17}{counted}")


if __name__ == "__main__":
    sys.exit(main())
