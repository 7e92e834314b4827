"""The columns of a turn: what we found, on each device how fast, and beside it what the upload reported."""

from collections.abc import Callable, Sequence

from evaluation.core.findings import Findings
from evaluation.core.judgement import Speed
from evaluation.selectors import DeviceSpeed, Reported, TurnRow
from leaderboard.exports.addresses import address_column
from leaderboard.exports.table import Column, Value


def turn_columns(turns: Sequence[TurnRow], *, origin: str) -> list[Column[TurnRow]]:
    """The columns that these turns need: those of speed are there once a device that one was measured on."""
    devices = sorted({one.device for turn in turns for one in turn.speeds})
    return [
        *_what(origin),
        *_found(),
        *(column for device in devices for column in _speed(device, origin)),
        *_reported(),
        Column("prompt_tokens", lambda turn: turn.prompt_tokens),
        Column("completion_tokens", lambda turn: turn.completion_tokens),
        Column("reasoning_tokens", lambda turn: turn.reasoning_tokens),
        Column("cost_usd", lambda turn: turn.cost_usd),
    ]


def _what(origin: str) -> tuple[Column[TurnRow], ...]:
    return (
        Column("turn", lambda turn: turn.number + 1),
        Column("state", lambda turn: turn.state.value),
        Column("missing", lambda turn: turn.missing),
        Column("missing_said", lambda turn: turn.missing_said),
        Column("waits_for", lambda turn: turn.waits_for),
        Column("kernel_sha256", lambda turn: turn.kernel),
        address_column(origin, "kernel_url", "kernel", lambda turn: turn.kernel),
    )


def _found() -> tuple[Column[TurnRow], ...]:
    def found(read: Callable[[Findings], Value]) -> Callable[[TurnRow], Value]:
        return lambda turn: read(turn.findings) if turn.findings else None

    return (
        Column("verdict", lambda turn: turn.verdict),
        Column("correct", found(lambda one: one.correct.value)),
        Column("family", found(lambda one: one.instruction.family.value)),
        Column("matrix_path", found(lambda one: one.instruction.matrix_path.value)),
        Column("coverage_share", found(lambda one: one.instruction.coverage)),
        Column("executed_share", found(lambda one: one.instruction.executed_share)),
        Column("judge", lambda turn: turn.judge),
    )


def _speed(device: str, origin: str) -> tuple[Column[TurnRow], ...]:
    def on_device(turn: TurnRow) -> DeviceSpeed | None:
        return next((one for one in turn.speeds if one.device == device), None)

    def speed(read: Callable[[Speed], Value]) -> Callable[[TurnRow], Value]:
        def of(turn: TurnRow) -> Value:
            there = on_device(turn)
            return read(there.speed) if there and there.speed else None

        return of

    def reason(turn: TurnRow) -> Value:
        there = on_device(turn)
        return there.reason if there else None

    def run(turn: TurnRow) -> str:
        there = on_device(turn)
        return there.run if there else ""

    name = device.replace("-", "_")
    return (
        Column(f"{name}_ratio", speed(lambda one: one.ratio)),
        Column(f"{name}_ratio_low", speed(lambda one: one.low)),
        Column(f"{name}_ratio_high", speed(lambda one: one.high)),
        Column(f"{name}_candidate_ns", speed(lambda one: one.candidate_ns)),
        Column(f"{name}_vendor_ns", speed(lambda one: one.vendor_ns)),
        Column(f"{name}_without_speed_why", reason),
        address_column(origin, f"{name}_run_url", "run", run),
    )


def _reported() -> tuple[Column[TurnRow], ...]:
    def said(read: Callable[[Reported], Value]) -> Callable[[TurnRow], Value]:
        return lambda turn: read(turn.reported) if turn.reported else None

    return (
        Column("reported_status", said(lambda one: one.status)),
        Column("reported_correct", said(lambda one: one.correct)),
        Column("reported_ratio", said(lambda one: one.speedup)),
        Column("reported_latency_us", said(lambda one: one.latency_us)),
        Column("reported_reference_us", said(lambda one: one.reference_us)),
        Column("reported_device", said(lambda one: one.device)),
    )
