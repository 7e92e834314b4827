"""Starts services stage by stage, watches them, starts again what ended, and ends all of them in reverse order.

It runs in one thread of a process of its own that ``guard`` has made: whatever it starts ends with it.
"""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from portal.quickstart.log_files import LogFiles
from portal.quickstart.orders import Order, Orders
from portal.quickstart.processes import adopt_orphans, children, kill_child, kill_everything
from portal.quickstart.restarts import Restarts
from portal.quickstart.running import Running
from portal.quickstart.service import Stage

STOPPED = 0
FAILED = 70
INTERRUPTED = 130

_BOUND_SECONDS = 10.0
_KILL_SECONDS = 20.0
_SHOWN_LINES = 20


class CannotGoOn(Exception):
    """A service is given up, so everything is; the text says which and shows the end of its log."""


class _KillNow(Exception):
    """Nobody waits for an orderly end any more."""


@dataclass(frozen=True, slots=True)
class Plan:
    """``folder`` is where services are started. ``announce`` is called once, when all are ready.

    ``tick_seconds`` is how soon a service is asked again whether it is ready. Orders and ends are seen at once.
    """

    stages: tuple[Stage, ...]
    logs: LogFiles
    folder: Path
    announce: Callable[[], None]
    say: Callable[[str], None]
    restarts: Restarts = field(default_factory=Restarts)
    tick_seconds: float = 0.25


def supervise(plan: Plan, control: int) -> int:
    """Run the plan until an order comes from ``control`` or a service is given up; give the exit code."""
    adopt_orphans()
    with Orders(control) as orders:
        return _Supervisor(plan, orders).run()


class _Supervisor:
    def __init__(self, plan: Plan, orders: Orders) -> None:
        self._plan = plan
        self._orders = orders
        self._stages = tuple(tuple(Running(one) for one in stage) for stage in plan.stages)
        self._begun = 0  # how many stages were begun
        self._bound_at = 0.0

    def run(self) -> int:
        try:
            return self._run_and_stop()
        except _KillNow:
            self._end_everything()
            return INTERRUPTED

    def _run_and_stop(self) -> int:
        code = STOPPED
        try:
            self._keep_running()
        except CannotGoOn as why:
            code = FAILED
            self._plan.say(str(why))
        self._plan.say("stopping ...")
        for stage in reversed(self._stages[: self._begun]):
            self._stop(stage)
        self._end_everything()
        return code

    def _keep_running(self) -> None:
        """Return when told to stop; raise CannotGoOn, or _KillNow."""
        announced = False
        self._begin_stage()
        while not self._told_to_stop():
            for one in self._all():
                self._look_after(one)
            self._end_orphans()
            self._bound_logs()
            if all(one.is_ready for one in self._all()):
                if self._begun < len(self._stages):
                    self._begin_stage()
                elif not announced:
                    announced = True
                    self._plan.announce()
            self._orders.wait(self._plan.tick_seconds)

    def _begin_stage(self) -> None:
        self._begun += 1

    def _all(self) -> Iterator[Running]:
        """Services of the stages that were begun."""
        return chain.from_iterable(self._stages[: self._begun])

    def _told_to_stop(self) -> bool:
        match self._orders.next():
            case Order.KILL:
                raise _KillNow
            case Order.STOP:
                return True
            case None:
                return False

    def _look_after(self, one: Running) -> None:
        now = time.monotonic()
        if (code := one.exit_code()) is not None:
            self._ended(one, code, now)
        if one.due is not None and one.due <= now:
            self._start(one, now)
        if one.process is not None and not one.is_ready and not one.service.once:
            one.is_ready = one.service.ready()
        if one.process is not None and not one.is_ready:
            self._wait_longer(one, now)

    def _ended(self, one: Running, code: int, now: float) -> None:
        service = one.service
        if service.once:
            if code:
                raise CannotGoOn(self._last_words(one, f"{service.name} {_how(code)}"))
            one.is_ready = True
            return
        lived = now - one.started
        one.quick_ends = self._plan.restarts.counted(one.quick_ends, lived_seconds=lived)
        delay = self._plan.restarts.delay_seconds(one.quick_ends)
        if delay is None:
            times = f"{service.name} ended {one.quick_ends} times soon after its start"
            raise CannotGoOn(self._last_words(one, f"{times}; the last time it {_how(code)}"))
        self._plan.say(f"{service.name} {_how(code)}; it is started again in {delay:g} s")
        one.due = now + delay

    def _start(self, one: Running, now: float) -> None:
        try:
            self._plan.logs.bound(one.service.name)
            log = self._plan.logs.open(one.service.name)
        except OSError as error:
            where = self._plan.logs.path(one.service.name)
            raise CannotGoOn(f"cannot write the log {where}: {error.strerror}") from error
        try:
            one.start(log, now=now, folder=self._plan.folder)
        except OSError as error:
            what = f"{one.service.name} does not start: {one.service.command[0]}: {error.strerror}"
            raise CannotGoOn(what) from error
        finally:
            os.close(log)

    def _wait_longer(self, one: Running, now: float) -> None:
        limit = one.service.ready_seconds
        if now - one.started > limit:
            what = f"{one.service.name} was not ready within {limit:g} s"
            raise CannotGoOn(self._last_words(one, what))

    def _last_words(self, one: Running, what: str) -> str:
        lines = self._plan.logs.last_lines(one.service.name, _SHOWN_LINES)
        shown = "".join(f"\n  {line}" for line in lines) or "\n  (nothing)"
        return f"{what}. The end of {self._plan.logs.path(one.service.name)}:{shown}"

    def _end_orphans(self) -> None:
        """A child that we did not start is the rest of a service that ended: it must not meet the next one."""
        ours = {one.pid() for one in self._all()}
        for pid in children():
            if pid not in ours:
                kill_child(pid)

    def _bound_logs(self) -> None:
        now = time.monotonic()
        if now < self._bound_at:
            return
        self._bound_at = now + _BOUND_SECONDS
        for one in self._all():
            try:
                self._plan.logs.bound(one.service.name)
            except OSError as error:
                self._plan.say(f"the log of {one.service.name} cannot be cut: {error.strerror}")

    def _stop(self, stage: tuple[Running, ...]) -> None:
        """Ask each to end and wait as long as it may take; raise _KillNow at a second order."""
        for one in stage:
            one.ask_to_end()
        began = time.monotonic()
        while any(one.process is not None for one in stage):
            for one in stage:
                if one.exit_code() is None and time.monotonic() - began > one.service.stop_seconds:
                    one.kill()
            self._end_orphans()
            if self._told_to_stop():
                raise _KillNow
            self._orders.wait(self._plan.tick_seconds)

    def _end_everything(self) -> None:
        for pid in kill_everything(seconds=_KILL_SECONDS):
            self._plan.say(f"process {pid} does not end, though it was killed; look at it with ps")


def _how(code: int) -> str:
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
