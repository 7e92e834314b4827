"""What has to be so of a product when everything has come to rest, whatever was killed on the way.

Each function names what is not so; nothing named is the proof. What should be there is said from outside: the kernels
that were handed in, by hash, and the verdict that each has earned. Only what somebody handed in counts: a new site has samples beside it.
"""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import redis
from product_rows import Rows
from running_product import NeverCame, Product
from scripted_kernels import CASES, Case

_PREPARED = ["policy", "build", "record", "scan"]
_MEASURED = (["check", "probe", "time"], ["check", "time"], ["check"])
# How Celery speaks of a task that raised, and Django of a page.
_OF_A_FAILURE = ("raised unexpected", "Internal Server Error")
_ALLOWED_LOSSES = 1
_ALLOWED_FAILURES = 2


@dataclass(frozen=True, slots=True)
class HandedIn:
    """The cases that were handed in, by the hash of their sources; each source once."""

    cases: Mapping[str, Case]

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> "HandedIn":
        """``sources`` has the name of the case of each source."""
        named = {source.encode(): CASES[name] for source, name in sources.items()}
        return cls({hashlib.sha256(one).hexdigest(): case for one, case in named.items()})


def wait_for_rest(product: Product, *, seconds: float) -> None:
    """Until nothing is under way any more: submissions, runs, attempts, and boards that are to look at something."""
    rows = Rows(product.database_url)
    try:
        product.wait_until(lambda: not under_way(rows), "its rest", seconds=seconds)
    except NeverCame as restless:
        raise NeverCame(f"under way for ever: {under_way(rows)}; {restless}") from None


_UNDER_WAY = (
    """SELECT uid, state, tries, lease_until, changed_at FROM uploads_submission
    WHERE state NOT IN ('uploading', 'imported', 'withdrawn', 'refused')""",
    """SELECT id, state, device, waits_for, not_before, failures, losses FROM evaluation_run
    WHERE state NOT IN ('finished', 'abandoned', 'cancelled')""",
    """SELECT run_id, half, number, state, worker, sent_at, lease_until FROM evaluation_attempt
    WHERE state IN ('sent', 'started')""",
    "SELECT id, state, boards_due_at FROM evaluation_run WHERE boards_due_at IS NOT NULL",
)


def under_way(rows: Rows) -> list[str]:
    return [str(row) for query in _UNDER_WAY for row in rows.all(query)]


def broken_promises(product: Product, handed_in: HandedIn) -> list[str]:
    """All that is not as it should be, of a product at rest."""
    rows = Rows(product.database_url)
    return [
        *_runs(rows, handed_in, losses=_ledger_losses(product)),
        *_attempts(rows),
        *_reports(rows),
        *_uploads(rows, handed_in, product),
        *_boards(product),
        *_failures(product),
    ]


def _runs(rows: Rows, handed_in: HandedIn, *, losses: Callable[[str], int]) -> Iterator[str]:
    found = rows.all(
        "SELECT k.sha256, r.state, r.verdict, r.failures, r.losses, a.sha256"
        " FROM evaluation_run r JOIN evaluation_kernel k ON k.id = r.kernel_id"
        " LEFT JOIN evaluation_artifact a ON a.id = r.plan_id WHERE r.owner IN (SELECT owner FROM uploads_submission)"
    )
    times = Counter(row[0] for row in found)
    if set(times) != set(handed_in.cases) or set(times.values()) - {1}:
        yield f"not one run for each kernel: {times} for {len(handed_in.cases)} kernels"
    for sha256, state, verdict, failures, lost, plan in found:
        case = handed_in.cases.get(sha256)
        wanted = {case.verdict} if case is not None else set()
        if max(lost, losses(plan or "")) > _ALLOWED_LOSSES:
            wanted = {*wanted, "runtime_error"}  # rule T6: it took its worker down twice
        if state == "abandoned" and failures <= _ALLOWED_FAILURES:
            yield f"{sha256[:8]} was given up after {failures} failures"
        if state == "finished" and verdict not in wanted:
            yield f"{sha256[:8]} is {verdict}, not {' or '.join(sorted(wanted)) or 'known'}"
        if state not in {"finished", "abandoned"}:
            yield f"{sha256[:8]} is {state}"


def _ledger_losses(product: Product) -> Callable[[str], int]:
    """How often the GPU's own ledger says that a kernel took the worker down, by the hash of its plan."""
    path = product.home / "measure" / "h200-0.json"
    lost = json.loads(path.read_bytes())["losses"] if path.exists() else []
    counted = Counter(one["kernel"] for one in lost)
    return lambda plan: counted[plan]


def _attempts(rows: Rows) -> Iterator[str]:
    done = rows.all(
        "SELECT r.id, r.state, r.verdict,"
        " sum(CASE WHEN a.half = 'prepare' AND a.state = 'done' THEN 1 ELSE 0 END),"
        " sum(CASE WHEN a.half = 'measure' AND a.state = 'done' THEN 1 ELSE 0 END)"
        " FROM evaluation_run r LEFT JOIN evaluation_attempt a ON a.run_id = r.id"
        " WHERE r.owner IN (SELECT owner FROM uploads_submission) GROUP BY r.id, r.state, r.verdict"
    )
    for run, state, verdict, prepared, measured in done:
        wanted = (1, 0) if verdict == "build_failed" else (1, 1)
        if state == "finished" and (prepared, measured) != wanted:
            yield f"run {run}: {prepared} prepare and {measured} measure halves are done"


def _reports(rows: Rows) -> Iterator[str]:
    found = rows.all(
        "SELECT a.id, a.half, s.place, s.stage FROM evaluation_attempt a"
        " JOIN evaluation_stagereport s ON s.attempt_id = a.id"
        " JOIN evaluation_run r ON r.id = a.run_id"
        " WHERE a.state = 'done' AND r.owner IN (SELECT owner FROM uploads_submission) ORDER BY a.id, s.place"
    )
    stages: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for attempt, half, place, stage in found:
        stages.setdefault((attempt, half), []).append((place, stage))
    for (attempt, half), said in stages.items():
        names = [stage for _, stage in said]
        whole = names == _PREPARED[: len(names)] if half == "prepare" else names in _MEASURED
        if not whole or [place for place, _ in said] != list(range(len(said))):
            yield f"attempt {attempt} of {half} has the reports {said}"


def _uploads(rows: Rows, handed_in: HandedIn, product: Product) -> Iterator[str]:
    turns = rows.all(
        "SELECT k.sha256, count(*) FROM evaluation_turn t"
        " JOIN evaluation_kernel k ON k.id = t.kernel_id"
        " JOIN evaluation_trajectory j ON j.id = t.trajectory_id"
        " JOIN evaluation_entry e ON e.id = j.entry_id"
        " WHERE e.owner IN (SELECT owner FROM uploads_submission) GROUP BY k.sha256"
    )
    if dict(turns) != dict.fromkeys(handed_in.cases, 1):
        yield f"not one turn for each kernel: {turns}"
    states: dict[str, int] = dict(
        rows.all("SELECT state, count(*) FROM uploads_submission GROUP BY state")
    )
    if states.get("imported") != len(handed_in.cases) or set(states) - {"imported", "uploading"}:
        yield f"submissions are {states}"
    for query in (
        "SELECT count(*) FROM uploads_submission WHERE state = 'imported' AND done <> total",
        "SELECT count(*) FROM uploads_importproblem",
    ):
        if wrong := rows.one(query):
            yield f"{wrong} by {query}"
    # An upload whose request was cut off is kept a day for its sender, and its bytes with it; nothing else is.
    kept = rows.all("SELECT uid FROM uploads_submission WHERE state = 'uploading'")
    known = {str(uid).replace("-", "") for (uid,) in kept}
    if left := {path.name for path in (product.home / "spool").iterdir()} - known:
        yield f"the spool has {left}"


def _boards(product: Product) -> Iterator[str]:
    said = product.manage("rebuild_standings")
    if "0 rows written, 0 taken away" not in said:
        yield f"boards were not what a rebuild makes of them: {said}"


def _failures(product: Product) -> Iterator[str]:
    """A kill is nothing that a task or a page of ours may fail of: what fails by it is repeated or done later."""
    for path in sorted((product.home / "logs").glob("*.log")):
        for line in path.read_text(errors="replace").splitlines():
            if any(words in line for words in _OF_A_FAILURE):
                yield f"{path.name}: {line[:1500]}"


def messages(product: Product) -> set[bytes]:
    """Every message that the broker has, waiting or taken and not acknowledged, by its id."""
    with redis.Redis(unix_socket_path=str(product.socket), socket_timeout=15) as server:
        return {*_waiting(server), *_unacknowledged(server)}


def _waiting(server: redis.Redis) -> Iterator[bytes]:
    for key in server.keys("*"):
        if server.type(key) == b"list":
            for text in server.lrange(key, 0, -1):
                yield json.loads(text)["properties"]["delivery_tag"].encode()


def _unacknowledged(server: redis.Redis) -> Iterator[bytes]:
    for key in server.keys("unacked.*"):
        for tag in server.hkeys(key):
            yield tag if isinstance(tag, bytes) else tag.encode()


def stuck_messages(product: Product, *, seconds: float) -> set[bytes]:
    """Of the messages that there are now, those that are still there when time is up."""
    left = messages(product)
    deadline = time.monotonic() + seconds
    while left and time.monotonic() < deadline:
        time.sleep(0.5)
        left &= messages(product)
    return left
