"""The turns of a mini-swe-agent trajectory, from its messages."""

from collections.abc import Iterable, Iterator

from evaluation.core.verdict import Language
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.kernel_of_turn import (
    LIMIT_FENCES,
    LIMIT_REPLY_CHARACTERS,
    How,
    fences_in,
    kernel_of_turn,
    looks_valid,
)
from portal.uploads.importers.pairing import Exchange, event_of
from portal.uploads.importers.records import ReadReported, ReadTurn, Trouble, Usage
from portal.uploads.importers.traces import TRACE_FIELDS, Trace, reported_of, trace_of
from portal.uploads.importers.turn_kernel import kept_of_reply
from portal.uploads.reading.json_stream import EACH, Path
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.scrub import scrub

_USAGE = ("extra", "response", "usage")
MESSAGE_FIELDS: tuple[Path, ...] = (
    ("role",),
    ("content",),
    ("extra", "event"),
    ("extra", "all_passed"),
    ("extra", "min_speedup"),
    ("extra", "cost"),
    ("extra", "timestamp"),
    (*_USAGE, "prompt_tokens"),
    (*_USAGE, "completion_tokens"),
    (*_USAGE, "input_tokens"),
    (*_USAGE, "output_tokens"),
    (*_USAGE, "completion_tokens_details", "reasoning_tokens"),
    (*_USAGE, "output_tokens_details", "thinking_tokens"),
    *(("extra", "traces", EACH, *path) for path in TRACE_FIELDS),
)
EVALUATION = "evaluation"
# The harness rejected or could not run the kernel, and counts the turn as not correct.
_NOT_CORRECT = frozenset(
    {"no_code", "triton_validation_failed", "cublas_banned", "cudnn_banned", "test_failed"}
)


def language_of(found: Iterable[Exchange]) -> Language:
    """Triton where the harness checked Triton, or no reply has a CUDA block and one has a whole Triton kernel."""
    whole_triton = False
    for exchange in found:
        if exchange.feedback and event_of(exchange.feedback) == "triton_validation_failed":
            return Language.TRITON
        reply = content_of(exchange.reply)
        if len(reply) > LIMIT_REPLY_CHARACTERS or fences_in(reply) > LIMIT_FENCES:
            continue
        cuda = kernel_of_turn(reply, Language.CUDA)
        if cuda and (cuda.how is not How.NO_TAG or looks_valid(cuda.source, Language.CUDA)):
            return Language.CUDA
        triton = kernel_of_turn(reply, Language.TRITON)
        whole_triton |= triton is not None and looks_valid(triton.source, Language.TRITON)
    return Language.TRITON if whole_triton else Language.CUDA


def turn_of(
    number: int, exchange: Exchange, language: Language, limits: Limits, where: str
) -> tuple[ReadTurn, tuple[Trace, ...]]:
    """Read one turn; ``where`` names it. The traces say which problem and device it was about."""
    problems = Problems()
    reply = Fields(exchange.reply.value, where, problems)
    text = content_of(reply)
    event, reported, traces = _result(exchange, problems, where)
    kernel = kept_of_reply(text, language, event, limits, problems=problems, where=where)
    turn = ReadTurn(
        number=number,
        kernel=kernel.source,
        missing=kernel.missing,
        missing_said=kernel.said,
        event=event,
        reply=scrub(text).text,
        usage=_usage(reply),
        at=reply.moment("extra", "timestamp"),
        reported=reported,
        problems=problems.all(),
        secrets=kernel.secrets,
    )
    return turn, traces


def content_of(message: Fields) -> str:
    """Give a message's text, that of its text parts where it has parts."""
    content = message.child("content")
    if not isinstance(content.value, list):
        return message.text("content")
    parts = (part for part in content.value if isinstance(part, dict))
    return "".join(text for part in parts if isinstance(text := part.get("text"), str))


def _result(
    exchange: Exchange, problems: Problems, where: str
) -> tuple[str, ReadReported | None, tuple[Trace, ...]]:
    for sentence in _odd_answers(exchange):
        problems.add(*sentence, where)
    if exchange.feedback is None:
        return "", None, ()
    feedback = Fields(exchange.feedback.value, where, problems)
    event = event_of(feedback)
    if event != EVALUATION:
        correct = False if event in _NOT_CORRECT else None
        return event, ReadReported(status=event, correct=correct), ()
    given = feedback.children("extra", "traces")
    traces = tuple(trace for one in given if (trace := trace_of(one)))
    reported = reported_of(
        traces,
        whole=len(traces) == len(given),
        all_passed=feedback.flag("extra", "all_passed"),
        min_speedup=feedback.amount("extra", "min_speedup"),
        problems=problems,
        where=where,
    )
    return event, reported, traces


def _odd_answers(exchange: Exchange) -> Iterator[tuple[Trouble, str]]:
    if exchange.with_event > 1:
        sentence = "several results follow the reply; the first one is taken"
        yield Trouble.UNUSED_RESULT, sentence
    if exchange.with_event:
        return
    if exchange.without_event:
        sentence = "the feedback has no event, so no result is known"
        yield Trouble.FEEDBACK_WITHOUT_EVENT, sentence
    else:
        yield Trouble.NO_FEEDBACK, "no feedback follows the reply, so no result is known"


def _usage(reply: Fields) -> Usage:
    usage = reply.child(*_USAGE)
    reasoning = usage.count("completion_tokens_details", "reasoning_tokens")
    thinking = usage.count("output_tokens_details", "thinking_tokens")
    return Usage(
        prompt_tokens=_first(usage.count("prompt_tokens"), usage.count("input_tokens")),
        completion_tokens=_first(usage.count("completion_tokens"), usage.count("output_tokens")),
        reasoning_tokens=_first(reasoning, thinking),
        cost_usd=reply.amount("extra", "cost"),
    )


def _first(one: int | None, other: int | None) -> int | None:
    return other if one is None else one
