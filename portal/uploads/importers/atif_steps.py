"""What the steps of an ATIF trajectory say: which tool calls evaluate a kernel, what was answered, what it cost."""

import re
from collections.abc import Iterable, Iterator

from portal.uploads.importers.fields import Fields
from portal.uploads.importers.records import Usage
from portal.uploads.reading.json_stream import EACH, Json, Path

STEP_FIELDS: tuple[Path, ...] = (
    ("source",),
    ("message",),
    ("timestamp",),
    ("tool_calls", EACH, "tool_call_id"),
    ("tool_calls", EACH, "arguments"),
    ("observation", "results", EACH, "source_call_id"),
    ("observation", "results", EACH, "content"),
    ("metrics", "prompt_tokens"),
    ("metrics", "completion_tokens"),
    ("metrics", "cost_usd"),
    ("metrics", "extra", "reasoning_tokens"),
)
_COMMAND_END = re.compile(r"[\n;&|]")
_COMMAND = re.compile(r"(?:^|[\s(/])ptxbench\s+eval\s")


def is_agents(step: Fields) -> bool:
    return step.child("source").value == "agent"


def message_of(step: Fields) -> str:
    return _text(step.child("message").value)


def calls_of(step: Fields) -> tuple[Fields, ...]:
    return step.children("tool_calls") if step.present("tool_calls") else ()


def texts_of(call: Fields) -> tuple[str, ...]:
    """Give the texts among a tool call's arguments: commands, and files that it wrote whole."""
    arguments = call.child("arguments").value
    values = arguments.values() if isinstance(arguments, dict) else ()
    return tuple(value for value in values if isinstance(value, str))


def evaluates(command: str) -> bool:
    """Tell whether one of the commands is ``ptxbench eval … --json``; in linear time."""
    for one in _COMMAND_END.split(command):
        found = _COMMAND.search(one)
        if found and "--json" in one[found.end() :].split():
            return True
    return False


def answer_to(call: Fields, step: Fields) -> str:
    """Give what a tool call answered; empty where nothing in its step names it."""
    wanted = call.child("tool_call_id").value
    if not isinstance(wanted, str) or not step.present("observation", "results"):
        return ""
    for result in step.children("observation", "results"):
        if result.child("source_call_id").value == wanted:
            return _text(result.child("content").value)
    return ""


def usage_of(step: Fields) -> Usage:
    return Usage(
        prompt_tokens=step.count("metrics", "prompt_tokens"),
        completion_tokens=step.count("metrics", "completion_tokens"),
        reasoning_tokens=step.count("metrics", "extra", "reasoning_tokens"),
        cost_usd=step.amount("metrics", "cost_usd"),
    )


def summed(usages: Iterable[Usage]) -> Usage:
    """Add up; what no step says stays unsaid."""
    every = tuple(usages)
    costs = [one.cost_usd for one in every if one.cost_usd is not None]
    return Usage(
        prompt_tokens=_sum(one.prompt_tokens for one in every),
        completion_tokens=_sum(one.completion_tokens for one in every),
        reasoning_tokens=_sum(one.reasoning_tokens for one in every),
        cost_usd=sum(costs) if costs else None,
    )


def _sum(values: Iterator[int | None]) -> int | None:
    said = [value for value in values if value is not None]
    return sum(said) if said else None


def _text(content: Json) -> str:
    """Give text that stands alone or in the text parts of a list."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
