"""Queue names, limits and transport options that both Celery apps use. No state, no connection."""

from dataclasses import dataclass

PREPARE = "prepare"
MEASURE = "measure"  # and the device's product behind a dot
PORTAL = "portal"
REPORTS = "portal.reports"

PREPARE_TASK = "evaluation.prepare"
MEASURE_TASK = "evaluation.measure"
REPORT_TASK = "portal.store_report"
SWEEP_TASK = "portal.sweep"
DISPATCH_TASK = "portal.dispatch"
STANDINGS_TASK = "portal.refresh_standings"
# All that the worker of the queue of reports does, whatever is put there: hosts with a GPU may write to it.
TASKS_OF_REPORTS = frozenset({REPORT_TASK, SWEEP_TASK, DISPATCH_TASK})

MESSAGE_LIMIT_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds. Every one is longer than the one before, or a healthy run would be taken for a lost one."""

    soft: int  # the task is told to stop and reports our failure
    hard: int  # the pool kills the task's process
    visibility: int  # the broker hands an unacknowledged message out again

    def __post_init__(self) -> None:
        if not self.soft < self.hard < self.visibility:
            raise ValueError("soft, hard and visibility limits must rise in this order")


HEARTBEAT_SECONDS = 10
# The portal makes a new attempt when nothing was heard for this long, however long the attempt may take.
LEASE_SECONDS = 6 * HEARTBEAT_SECONDS
# Every tool has a wall clock of its own, so these end only what those did not. The soft limit is longer than all clocks
# of one job together, which tests/test_queues.py adds up; an ordinary job takes some seconds.
PREPARE_LIMITS = TimeLimits(soft=2700, hard=2760, visibility=3600)
# A kernel holds a GPU for a minute. Before it a canary may run to its end and a new referee may start.
MEASURE_LIMITS = TimeLimits(soft=600, hard=630, visibility=900)

# Storing one message of a worker takes milliseconds; what waits longer waits for a lock of the database.
REPORTS_LIMITS = TimeLimits(soft=60, hard=75, visibility=180)
# Reading the largest archive takes minutes, and goes on where it was when it is started again.
PORTAL_LIMITS = TimeLimits(soft=1800, hard=1830, visibility=2400)
SWEEP_SECONDS = 15  # how often the portal looks for lapsed leases
STANDINGS_SECONDS = 60  # and for what boards were not told of
# Reports that wait may hold the beat that a lease misses: while some do, leases may be so much older.
BACKLOG_SECONDS = 600

DEVICE_HEARTBEAT_SECONDS = 20
# A worker of which nothing was heard for this long gets no message. One that prepares speaks only while it has a job.
DEVICE_SILENCE_SECONDS = 4 * DEVICE_HEARTBEAT_SECONDS
PREPARE_SILENCE_SECONDS = 600
CANARY_SECONDS = 3600
CANARY_AGAIN_SECONDS = 300  # where the last one was not well, or could not run


@dataclass(frozen=True, slots=True)
class Role:
    """What a worker is for. ``children_tasks`` is how many jobs a pool process does before a new one; 0 is no limit."""

    queue: str
    task: str  # empty: several
    limits: TimeLimits
    children_tasks: int
    concurrency: int  # 0: as many as the host has cores, unless the command line says otherwise


PREPARER = Role(PREPARE, PREPARE_TASK, PREPARE_LIMITS, children_tasks=100, concurrency=0)


# The site's own workers. Reports have one of their own, so that none waits behind an archive.
PORTAL_ROLES = {
    PORTAL: Role(PORTAL, "", PORTAL_LIMITS, children_tasks=50, concurrency=2),
    REPORTS: Role(REPORTS, REPORT_TASK, REPORTS_LIMITS, children_tasks=1000, concurrency=1),
}


def measurer(device: str) -> Role:
    """A worker with one GPU of this product, which its one pool process keeps for as long as the worker lives."""
    return Role(
        f"{MEASURE}.{device}", MEASURE_TASK, MEASURE_LIMITS, children_tasks=0, concurrency=1
    )


def transport_options(*, visibility_seconds: int, unacked: str) -> dict[str, object]:
    """Options for the Redis transport. ``unacked`` separates the bookkeeping of one queue's workers from another's.

    Without socket time-outs a half-open connection leaves a worker deaf for good; without the restore options a message
    of a killed worker comes back up to 100 s late (kombu 5.7 defaults).
    """
    return {
        "visibility_timeout": visibility_seconds,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        "unacked_key": f"unacked.{unacked}",
        "unacked_index_key": f"unacked_index.{unacked}",
        "unacked_mutex_key": f"unacked_mutex.{unacked}",
        "socket_timeout": 15,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "queue_order_strategy": "priority",
        # One list a queue: no message of ours is more urgent than another, and rights on the broker name keys.
        "priority_steps": [0],
    }


def app_settings(role: Role) -> dict[str, object]:
    """What both Celery apps are set to; each adds what is its own.

    Every task may be done twice. The database is the queue of record: what is lost with a child is made anew there,
    with its own bound, and a message that the broker kept handing out would kill one worker after another.
    """
    return {
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": transport_options(
            visibility_seconds=role.limits.visibility, unacked=role.queue
        ),
        "accept_content": ["json"],
        "task_serializer": "json",
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": False,
        "task_acks_on_failure_or_timeout": True,
        "worker_prefetch_multiplier": 1,
        "worker_cancel_long_running_tasks_on_connection_loss": True,
        "worker_max_tasks_per_child": role.children_tasks or None,
        "worker_concurrency": role.concurrency or None,
        "worker_hijack_root_logger": False,
        "task_create_missing_queues": False,
        # What a worker takes from when nobody says -Q. Who sends to another queue names it as an object. Everything is
        # sent to a queue by its name, so no exchange is declared, which would write tables that all workers share.
        "task_queues": {role.queue: {"no_declare": True}},
        "task_soft_time_limit": role.limits.soft,
        "task_time_limit": role.limits.hard,
    }
