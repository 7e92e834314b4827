"""The JSON that ``ptxbench eval --json`` prints, as it is found in what a tool call answered."""

import io
import re
from dataclasses import dataclass, replace

from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.records import LIMIT_WORD_CHARACTERS, ReadReported, Trouble
from portal.uploads.importers.traces import TRACE_FIELDS, Trace, reported_of, trace_of
from portal.uploads.reading.json_stream import EACH, Json, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

SCHEMA = "ptxbench.eval.v1"
INFRA_ERROR = "INFRA_ERROR"
_WANTED = (
    *(
        Wanted((key,))
        for key in ("schema", "definition", "kernel_sha256", "status", "all_passed", "min_speedup")
    ),
    Wanted(("traces", EACH), keep=TRACE_FIELDS),
)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Envelope:
    """One evaluation. ``kernel_sha256`` is empty where the envelope does not say it in lower-case hex."""

    kernel_sha256: str
    definition: str
    traces: tuple[Trace, ...]
    reported: ReadReported | None


def envelope_of(content: str, limits: Limits, problems: Problems, where: str) -> Envelope | None:
    """Read what is an envelope from its first to its last character; for anything else None and a named problem.

    An agent can print what it likes around an envelope, so it is not searched for.
    """
    said = _said(content, limits, problems, where)
    if said is None:
        sentence = f"the evaluation's output is no {SCHEMA} document, so no result is known"
        problems.add(Trouble.FEEDBACK_WITHOUT_EVENT, sentence, where)
        return None
    digest = said.text("kernel_sha256")
    given = said.children("traces")
    traces = tuple(trace for one in given if (trace := trace_of(one)))
    return Envelope(
        kernel_sha256=digest if _SHA256.match(digest) else "",
        definition=said.name("definition"),
        traces=traces,
        reported=_reported(said, traces, len(given)),
    )


def _said(content: str, limits: Limits, problems: Problems, where: str) -> Fields | None:
    top: dict[str, Json] = {}
    traces: list[Json] = []
    try:
        for one in picked(io.BytesIO(content.strip().encode()), _WANTED, limits, where):
            if one.path[0] == "traces":
                traces.append(one.value)
            else:
                top[str(one.path[0])] = one.value
    except Refused:
        return None
    if top.get("schema") != SCHEMA:
        return None
    return Fields({**top, "traces": traces}, where, problems)


def _reported(said: Fields, traces: tuple[Trace, ...], given: int) -> ReadReported | None:
    status = said.name("status", limit=LIMIT_WORD_CHARACTERS)
    if status == INFRA_ERROR:
        return ReadReported(status)
    reported = reported_of(
        traces,
        whole=len(traces) == given,
        all_passed=said.flag("all_passed"),
        min_speedup=said.amount("min_speedup"),
        problems=said.problems,
        where=said.where,
    )
    return replace(reported, status=status) if reported and status else reported
