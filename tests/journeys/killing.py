"""Kills at chosen steps and at random moments, while kernels are handed in."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import cycle

from author import Author
from kept_promises import broken_promises, stuck_messages, wait_for_rest
from product_rows import Rows
from run_steps import Step, step_of
from running_product import MESSAGES, SERVICES, Product
from scripted_kernels import CASES

PACE_SECONDS = 0.2  # of each stage with a tool, so that there is a moment to kill in
_STEP_SECONDS = 60.0
_REST_SECONDS = 180.0
_STUCK_SECONDS = 60.0  # every message that is lost with a worker comes back before
_AUTHORS_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Kill:
    service: str
    step: Step

    def __str__(self) -> str:
        return f"{self.service} at {self.step.name.lower()}"


def kill_at(product: Product, author: Author, kill: Kill) -> str:
    """Hand a kernel in, kill when it has come so far, and give what went wrong; its rest is not waited for."""
    case = CASES["gemm_wgmma_tma"]
    rows = Rows(product.database_url)
    kernel = author.send(case)
    with ThreadPoolExecutor(1) as beside:
        if kill.step > Step.UNDERSTOOD:
            confirmed = beside.submit(author.confirm, kernel, case)
        deadline = time.monotonic() + _STEP_SECONDS
        while step_of(rows, kernel) < kill.step:
            if time.monotonic() > deadline:
                return f"{kill}: it stayed at {step_of(rows, kernel).name.lower()}"
            time.sleep(0.005)
        product.wait_until(lambda: product.kill(kill.service), f"{kill.service} to be killed")
        if kill.step <= Step.UNDERSTOOD:
            confirmed = beside.submit(author.confirm, kernel, case)
        confirmed.result()
    return ""


@dataclass(frozen=True, slots=True)
class Hit:
    """What was killed, and how many seconds after the start; ``child``: one of its pool."""

    service: str
    child: bool
    seconds: float


def kill_at_random(product: Product, author: Author, *, kills: int, seed: int) -> list[Hit]:
    """Kill so many times, while kernels of every case are handed in all the time. Give what was killed."""
    chance = random.Random(seed)  # noqa: S311 (to be repeated, not to be secret)
    done = threading.Event()
    with ThreadPoolExecutor(_AUTHORS_AT_ONCE) as beside:
        lock = threading.Lock()
        cases = cycle(CASES.values())

        def hand_in() -> None:
            while not done.is_set():
                with lock:
                    case = next(cases)
                    kernel = author.send(case)
                author.confirm(kernel, case)
                done.wait(0.5)

        busy = [beside.submit(hand_in) for _ in range(_AUTHORS_AT_ONCE)]
        try:
            hits = list(_hits(product, chance, kills))
        finally:
            done.set()
        for one in busy:
            one.result()
    return hits


def _hits(product: Product, chance: random.Random, kills: int) -> Iterator[Hit]:
    began = time.monotonic()
    names = (*sorted(SERVICES), MESSAGES)
    for _ in range(kills):
        time.sleep(chance.uniform(0.1, 2.0))
        # A worker that was killed twice with the same kernel is the kernel's end, so GPUs are hit less.
        service = chance.choices(
            names, [1 if one in {"measure", MESSAGES} else 2 for one in names]
        )[0]
        child = chance.random() < 0.3
        while not product.kill(service, child=child):
            time.sleep(0.05)
            child = False  # it has none just now, or never
        yield Hit(service, child, round(time.monotonic() - began, 1))


def what_is_broken(
    product: Product, author: Author, *, look: Callable[[Product], None] = lambda _: None
) -> list[str]:
    """Wait until everything has come to rest, and give every promise that was not kept. Stops the product.

    ``look`` is called before that.
    """
    wait_for_rest(product, seconds=_REST_SECONDS)
    look(product)
    broken = broken_promises(product, author.handed_in)
    if stuck := stuck_messages(product, seconds=_STUCK_SECONDS):
        broken.append(f"{len(stuck)} messages stay with the broker")
    if left := product.stop():
        broken.append(f"processes {left} live on")
    return broken
