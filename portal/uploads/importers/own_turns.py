"""The turns of our own trajectory format, version 1."""

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.hardware import product_of
from portal.uploads.importers.records import (
    LIMIT_WORD_CHARACTERS,
    ReadReported,
    ReadTurn,
    Trouble,
    Usage,
)
from portal.uploads.importers.turn_kernel import TurnKernel, kept, kept_of_reply
from portal.uploads.reading.json_stream import Path
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.scrub import scrub

MISSING_WORDS = (Missing.NO_CODE, Missing.SOURCE_MISSING)
LIMIT_WORKLOADS = 1000
TURN_FIELDS: tuple[Path, ...] = (
    ("kernel",),
    ("missing",),
    ("reply",),
    ("event",),
    ("usage",),
    ("at",),
    ("reported",),
)


def own_turn(turn: Fields, number: int, language: Language, limits: Limits) -> ReadTurn:
    """Read one turn; what it does not say stays empty."""
    problems = turn.problems
    reply = turn.text("reply")
    event = turn.name("event", limit=LIMIT_WORD_CHARACTERS)
    kernel = _kernel(turn, reply, event, language, limits)
    return ReadTurn(
        number=number,
        kernel=kernel.source,
        missing=kernel.missing,
        missing_said=kernel.said,
        event=event,
        reply=scrub(reply).text,
        usage=Usage(
            prompt_tokens=turn.count("usage", "prompt_tokens"),
            completion_tokens=turn.count("usage", "completion_tokens"),
            reasoning_tokens=turn.count("usage", "reasoning_tokens"),
            cost_usd=turn.amount("usage", "cost_usd"),
        ),
        at=turn.moment("at"),
        reported=_reported(turn.child("reported")) if turn.present("reported") else None,
        problems=problems.all(),
        secrets=kernel.secrets,
    )


def _kernel(turn: Fields, reply: str, event: str, language: Language, limits: Limits) -> TurnKernel:
    """Take ``kernel``; where the key is absent and a reply is there, the kernel in the reply; else it is missing."""
    if turn.present("kernel"):
        source = turn.child("kernel").value
        if isinstance(source, str):
            return kept(source, limits)
        turn.problems.add(Trouble.BROKEN_FIELD, "kernel is not text", turn.where)
        return TurnKernel(None, Missing.UNREADABLE, "the kernel is not text")
    says_none = isinstance(turn.value, dict) and "kernel" in turn.value
    if reply and not says_none and not turn.present("missing"):
        return kept_of_reply(
            reply, language, event, limits, problems=turn.problems, where=turn.where
        )
    missing = turn.text("missing") or (Missing.NO_CODE if reply else Missing.SOURCE_MISSING)
    word = next((one for one in MISSING_WORDS if one == missing), None)
    if word is None:
        sentence = f"missing is not one of {', '.join(MISSING_WORDS)}"
        turn.problems.add(Trouble.BROKEN_FIELD, sentence, turn.where)
        return TurnKernel(None, Missing.UNREADABLE, "the document does not say why it is missing")
    return TurnKernel(None, word, "the document says that there is no kernel")


def _reported(reported: Fields) -> ReadReported | None:
    if not isinstance(reported.value, dict):
        reported.problems.add(Trouble.BROKEN_FIELD, "reported is not an object", reported.where)
        return None
    status = reported.name("status", limit=LIMIT_WORD_CHARACTERS)
    if not status:
        reported.problems.add(Trouble.BROKEN_FIELD, "reported has no status", reported.where)
        return None
    workloads: tuple[Fields, ...] = ()
    if reported.present("workloads"):
        workloads = reported.children("workloads")[:LIMIT_WORKLOADS]
    return ReadReported(
        status=status,
        correct=reported.flag("correct"),
        speedup=reported.amount("speedup"),
        latency_us=reported.amount("latency_us"),
        reference_us=reported.amount("reference_us"),
        device=product_of(reported.name("device", limit=80)),
        workloads=tuple(uuid for one in workloads if (uuid := one.name(limit=64))),
    )


def turn_fields(value: object, number: int, member: str) -> Fields:
    """Make one turn's fields with problems of its own; a value that is no object is named as broken."""
    problems = Problems()
    where = f"{member}, turn {number + 1}"
    if isinstance(value, dict):
        return Fields(value, where, problems)
    problems.add(Trouble.BROKEN_FIELD, "the turn is not an object", where)
    return Fields(None, where, problems)
