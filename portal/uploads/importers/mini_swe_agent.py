"""A mini-swe-agent 1.x trajectory, as MiniPTXAgent writes it: one JSON document."""

import io
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from portal.uploads.importers.bounds import Budget
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.hardware import target_of
from portal.uploads.importers.importer import Head, Shape
from portal.uploads.importers.mini_swe_turns import MESSAGE_FIELDS, language_of, turn_of
from portal.uploads.importers.pairing import ASSISTANT, Exchange, exchanges
from portal.uploads.importers.records import (
    Ending,
    Format,
    Layout,
    Proposed,
    ReadTrajectory,
    ReadTurn,
    Trouble,
)
from portal.uploads.importers.source import Source
from portal.uploads.importers.stored_document import scrubbed_document
from portal.uploads.importers.traces import Trace, one_of, one_problem
from portal.uploads.reading.json_stream import EACH, Json, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole

_FORMAT = re.compile(r"mini-swe-agent-1(\.\d+)?\Z")
_MODEL = ("config", "model")
_KWARGS = (*_MODEL, "model_kwargs")
_ENVIRONMENT = ("config", "environment", "env")
_EFFORTS = (
    (*_KWARGS, "reasoning_effort"),
    (*_KWARGS, "reasoning", "effort"),
    (*_KWARGS, "output_config", "effort"),
)
_STEP_LIMIT = ("config", "agent", "step_limit")
_WANTED = (
    Wanted(("trajectory_format",)),
    Wanted(
        ("info",),
        keep=(
            ("mini_version",),
            ("exit_status",),
            _STEP_LIMIT,
            (*_MODEL, "model_name"),
            *_EFFORTS,
            (*_ENVIRONMENT, "NVCC_GENCODE"),
        ),
    ),
    Wanted(("messages", EACH), keep=MESSAGE_FIELDS),
)
_ENDINGS = {
    "LimitsExceeded": Ending.TURNS_USED,
    "Submitted": Ending.TARGET_MET,
    "": Ending.UNKNOWN,
}


@dataclass(frozen=True, slots=True)
class MiniSweAgent:
    name: Format = Format.MINI_SWE_AGENT

    def recognises(self, head: Head) -> bool:
        return head.shape is Shape.JSON and is_mini_swe_agent(head.marks.get("trajectory_format"))

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        if source.name in done:
            return
        with source.open() as file:
            content = whole(file, limits.document_bytes, source.name)
        yield read_document(content, source.name, limits)


@dataclass(frozen=True, slots=True)
class _Parts:
    trajectory_format: str
    info: Fields
    exchanges: tuple[Exchange, ...]


def is_mini_swe_agent(trajectory_format: str | None) -> bool:
    return trajectory_format is not None and bool(_FORMAT.match(trajectory_format))


def read_document(content: bytes, member: str, limits: Limits) -> ReadTrajectory:
    """Read one document; without turns and with a named problem where it is a trajectory of no such format."""
    problems = Problems()
    parts = _parts(content, member, limits, problems)
    document = scrubbed_document(content, member, limits)
    if not is_mini_swe_agent(parts.trajectory_format):
        sentence = "this JSON document is no mini-swe-agent 1.x trajectory"
        problems.add(Trouble.NOT_A_TRAJECTORY, sentence, member)
        return ReadTrajectory(
            member, Format.MINI_SWE_AGENT, Proposed(), (), problems=problems.all()
        )
    language = language_of(parts.exchanges)
    read = tuple(
        turn_of(number, exchange, language, limits, f"{member}, turn {number + 1}")
        for number, exchange in enumerate(parts.exchanges)
    )
    turns, traces = _split(read)
    problem = one_problem({trace.definition for trace in traces}, member, problems)
    device = one_of({trace.device for trace in traces})
    gencode = parts.info.text(*_ENVIRONMENT, "NVCC_GENCODE")
    if not turns:
        problems.add(Trouble.NOT_A_TRAJECTORY, "the trajectory has no reply of a model", member)
    return ReadTrajectory(
        member=member,
        format=Format.MINI_SWE_AGENT,
        proposed=Proposed(
            model=parts.info.name(*_MODEL, "model_name"),
            harness="mini-swe-agent",
            harness_version=parts.info.name("mini_version", limit=40),
            reasoning_effort=_effort(parts.info),
            language=language,
        ),
        turns=turns,
        problem=problem,
        target=target_of(gencode) or target_of(device),
        device=device,
        layout=Layout(turns=parts.info.count(*_STEP_LIMIT) or None),
        ending=_ENDINGS.get(parts.info.text("exit_status"), Ending.STOPPED),
        document=document,
        problems=problems.all(),
    )


def _parts(content: bytes, member: str, limits: Limits, problems: Problems) -> _Parts:
    top: dict[str, Json] = {}
    budget = Budget(member)

    def messages() -> Iterator[Fields]:
        for one in picked(io.BytesIO(content), _WANTED, limits, member):
            if one.path[0] == "messages":
                yield _message(one.value, budget)
            else:
                top[str(one.path[0])] = one.value

    found = tuple(exchanges(messages()))
    said = Fields(top, member, Problems())
    return _Parts(
        said.text("trajectory_format"), Fields(top.get("info"), f"{member}, info", problems), found
    )


def _message(value: Json, budget: Budget) -> Fields:
    """Hold a reply whole and of every other message only what stands beside its text.

    What is broken in a message is named when its turn is read, so its problems are of no use here.
    """
    if not isinstance(value, dict):
        value = {}
    if value.get("role") == ASSISTANT:
        budget.turn()
    else:
        value = {key: one for key, one in value.items() if key != "content"}
    budget.hold(value)
    return Fields(value, "", Problems())


def _split(
    read: tuple[tuple[ReadTurn, tuple[Trace, ...]], ...],
) -> tuple[tuple[ReadTurn, ...], tuple[Trace, ...]]:
    turns = tuple(turn for turn, _ in read)
    return turns, tuple(trace for _, traces in read for trace in traces)


def _effort(info: Fields) -> str:
    return next((found for path in _EFFORTS if (found := info.name(*path, limit=40))), "")
