"""One message from its JSON to the rows. Whatever a worker writes here, it moves only the attempt whose key it has."""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from evaluation.core import wire
from evaluation.core.errors import InvalidInput
from evaluation.core.messages import (
    AttemptMessage,
    CanaryReported,
    DeviceHeartbeat,
    FailedByUs,
    HalfFinished,
    HandedBack,
    Heartbeat,
    KernelLost,
    KernelNoted,
    Message,
    StageReported,
    Started,
)
from evaluation.core.ports import Artifacts
from evaluation.models import Attempt
from evaluation.services import has_key, note_worker
from portal.reports.attempt_messages import hear_of_attempt
from portal.reports.heard import Heard, Word
from portal.reports.worker_messages import hear_canary, hear_device, was_heard

log = logging.getLogger(__name__)

KINDS: Final[Mapping[str, type[Message]]] = MappingProxyType(
    {
        kind.__name__: kind
        for kind in (
            Started,
            Heartbeat,
            StageReported,
            HalfFinished,
            HandedBack,
            FailedByUs,
            KernelNoted,
            KernelLost,
            DeviceHeartbeat,
            CanaryReported,
        )
    }
)
_WORKER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.@:\-]{0,127}\Z")


def hear(kind: object, text: object, store: Artifacts, *, at: datetime) -> Heard:
    """Take one message of a worker; what may not be is dropped and logged, never raised.

    Raise ToolFailure where our own store does not take what it should.
    """
    try:
        message = _read(kind, text)
    except InvalidInput as broken:
        log.warning("a message was refused: %s", str(broken)[:500])
        return Heard(Word.REFUSED)
    heard = _hear(message, store, at=at)
    if heard.word in _DROPPED:
        of = f" of attempt {message.attempt.uuid}" if isinstance(message, AttemptMessage) else ""
        log.warning("a %s%s by %s was dropped: %s", kind, of, message.worker, heard.word)
    return heard


_DROPPED = frozenset({Word.STALE, Word.CONFLICT, Word.UNKNOWN, Word.VERSION})


def _read(kind: object, text: object) -> Message:
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidInput(where="message", key="kind", rule="is none that workers send")
    if not isinstance(text, str):
        raise InvalidInput(where=kind, key="", rule="is no text")
    message = wire.decode(KINDS[kind], _whole_characters(kind, text), where=kind)
    if not _WORKER.match(message.worker):
        raise InvalidInput(where=kind, key="worker", rule="is no name of a worker")
    return message


def _whole_characters(kind: str, text: str) -> bytes:
    """JSON can escape one half of a pair of surrogates, which neither a store nor a page takes; it becomes ``?``."""
    content = text.encode("utf-8", "replace")
    if b"\\ud" not in content.lower():
        return content
    plain = wire.parse(content, where=kind)
    return json.dumps(plain, ensure_ascii=False).encode("utf-8", "replace")


def _hear(message: Message, store: Artifacts, *, at: datetime) -> Heard:
    if isinstance(message, DeviceHeartbeat):
        return hear_device(message, at=at)
    if isinstance(message, CanaryReported):
        return hear_canary(message, at=at)
    named = message.attempt
    attempt = Attempt.objects.select_related("run__kernel").filter(uid=named.uuid).first()
    if attempt is None or not has_key(attempt, named.key) or attempt.number != named.number:
        return Heard(Word.UNKNOWN)
    came = isinstance(message, Started) and not was_heard(message.worker, at=at)
    note_worker(message.worker, message.versions, queue=attempt.queue, at=at)
    # A worker of another version hands back, and that alone is understood between versions.
    if not message.versions.current and not isinstance(message, HandedBack):
        return Heard(Word.VERSION)
    heard = hear_of_attempt(message, attempt, store, at=at)
    # Of a prepare worker this is the first that is known: there is room for another message.
    return replace(heard, queues=(attempt.queue,)) if came else heard
