"""System checks of the queues: settings with which a healthy run would be taken for a lost one refuse the start."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from evaluation import queues

HEARTBEATS_IN_A_LEASE = 3
# Their transport has the visibility time-out, the priorities and the separate books that the queues rely on.
BROKERS = frozenset({"redis", "rediss", "redis+socket"})


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds, as evaluation.queues has them."""

    heartbeat: int = queues.HEARTBEAT_SECONDS
    lease: int = queues.LEASE_SECONDS
    sweep: int = queues.SWEEP_SECONDS
    silence: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType(
            {
                queues.PREPARE: queues.PREPARE_SILENCE_SECONDS,
                queues.MEASURE: queues.DEVICE_SILENCE_SECONDS,
            }
        )
    )
    device_heartbeat: int = queues.DEVICE_HEARTBEAT_SECONDS
    visibility: Mapping[str, int] = field(
        default_factory=lambda: MappingProxyType(
            {
                queues.PREPARE: queues.PREPARE_LIMITS.visibility,
                queues.MEASURE: queues.MEASURE_LIMITS.visibility,
            }
        )
    )


def wrong_order(timing: Timing) -> Iterator[checks.Error]:
    if timing.lease < HEARTBEATS_IN_A_LEASE * timing.heartbeat:
        yield checks.Error(
            f"A lease of {timing.lease} s ends after fewer than {HEARTBEATS_IN_A_LEASE} heartbeats of"
            f" {timing.heartbeat} s.",
            hint="Lengthen queues.LEASE_SECONDS: one lost heartbeat would start a healthy run again.",
            id="portal.E001",
        )
    if timing.sweep > timing.lease:
        yield checks.Error(
            f"The sweep comes every {timing.sweep} s, later than a lease of {timing.lease} s lapses.",
            hint="Shorten queues.SWEEP_SECONDS: a run whose worker died would wait for nothing.",
            id="portal.E002",
        )
    for queue, visibility in timing.visibility.items():
        if visibility <= timing.lease:
            yield checks.Error(
                f"The broker hands a message of {queue} out again after {visibility} s, before its lease of"
                f" {timing.lease} s can lapse.",
                hint=f"Lengthen the visibility of {queue} in evaluation/queues.py: two workers would do one job.",
                id="portal.E003",
            )


def wrong_silence(timing: Timing) -> Iterator[checks.Error]:
    beats = {queues.PREPARE: timing.heartbeat, queues.MEASURE: timing.device_heartbeat}
    for queue, silence in timing.silence.items():
        if silence < HEARTBEATS_IN_A_LEASE * beats[queue]:
            yield checks.Error(
                f"A worker of {queue} is taken for gone after {silence} s, fewer than {HEARTBEATS_IN_A_LEASE} of its"
                f" heartbeats of {beats[queue]} s.",
                hint="Lengthen its silence in evaluation/queues.py: healthy workers would get no work now and then.",
                id="portal.E005",
            )


def wrong_broker(url: str) -> Iterator[checks.Error]:
    scheme = urlsplit(url).scheme
    if scheme not in BROKERS:
        yield checks.Error(
            f"The broker's address begins with {scheme[:20]!r}.",
            hint="PTXBOARD_BROKER_URL names a Redis or Valkey: redis://, rediss:// or redis+socket://.",
            id="portal.E004",
        )


def queues_check(
    app_configs: Sequence[object] | None,  # noqa: ARG001 (the signature of every check)
    **_: object,
) -> list[checks.CheckMessage]:
    timing = Timing()
    return [*wrong_order(timing), *wrong_silence(timing), *wrong_broker(settings.BROKER_URL)]


def register() -> None:
    checks.register(queues_check, "portal")
