"""The turns of an ATIF trajectory: each tool call that runs ``ptxbench eval --json`` is one."""

import hashlib
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evaluation.core.entry_words import Missing
from portal.uploads.importers.atif_steps import (
    answer_to,
    calls_of,
    evaluates,
    is_agents,
    message_of,
    summed,
    texts_of,
    usage_of,
)
from portal.uploads.importers.bounds import Budget
from portal.uploads.importers.envelope import Envelope, envelope_of
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.mini_swe_turns import EVALUATION
from portal.uploads.importers.records import ReadTurn, Usage
from portal.uploads.importers.turn_kernel import TurnKernel, kept
from portal.uploads.reading.json_stream import Json
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.scrub import scrub


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One turn, and the envelope that says which problem and device it was about."""

    turn: ReadTurn
    envelope: Envelope | None


@dataclass(slots=True)
class _Agent:
    """What the agent wrote in all steps so far, and what it said and spent since the evaluation before."""

    written: dict[str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    spent: list[Usage] = field(default_factory=list)

    def write(self, texts: tuple[str, ...]) -> None:
        for text in texts:
            if "\n" in text:
                self.written[hashlib.sha256(text.encode()).hexdigest()] = text

    def taken(self) -> tuple[str, Usage]:
        said, spent = "\n\n".join(one for one in self.said if one), summed(self.spent)
        self.said.clear()
        self.spent.clear()
        return said, spent


def evaluated(
    steps: Iterator[Json], sources: Mapping[str, str], limits: Limits, member: str
) -> Iterator[Evaluated]:
    """Yield one turn for each evaluation; ``sources`` has the texts of attached kernels by their SHA-256.

    A kernel is taken only where its hash is the one in the envelope: attached, or written whole by a tool call.
    """
    agent = _Agent()
    known = ChainMap(agent.written, dict(sources))
    budget = Budget(member)
    for at, value in enumerate(steps):
        step = Fields(value, f"{member}, step {at + 1}", Problems())
        if not is_agents(step):
            continue
        budget.hold(message_of(step))
        agent.said.append(message_of(step))
        agent.spent.append(usage_of(step))
        for call in calls_of(step):
            texts = texts_of(call)
            budget.hold(list(texts))
            agent.write(texts)
            if any(evaluates(text) for text in texts):
                yield _turn(budget.turns, step, answer_to(call, step), agent, known, limits=limits)
                budget.turn()


def _turn(
    number: int,
    step: Fields,
    answer: str,
    agent: _Agent,
    known: Mapping[str, str],
    *,
    limits: Limits,
) -> Evaluated:
    problems = Problems()
    at = step.moment("timestamp")
    envelope = envelope_of(answer, limits, problems, f"{step.where} (turn {number + 1})")
    kernel = _kernel(envelope, known, limits)
    said, spent = agent.taken()
    turn = ReadTurn(
        number=number,
        kernel=kernel.source,
        missing=kernel.missing,
        missing_said=kernel.said,
        event=EVALUATION if envelope else "",
        reply=scrub(said).text,
        usage=spent,
        at=at,
        reported=envelope.reported if envelope else None,
        problems=(*step.problems.all(), *problems.all()),
        secrets=kernel.secrets,
    )
    return Evaluated(turn, envelope)


def _kernel(envelope: Envelope | None, known: Mapping[str, str], limits: Limits) -> TurnKernel:
    if envelope is None or not envelope.kernel_sha256:
        said = "the evaluation does not say which kernel it was about"
        return TurnKernel(None, Missing.SOURCE_MISSING, said)
    source = known.get(envelope.kernel_sha256)
    if source is None:
        said = "no kernel in the upload has the hash of the one that was evaluated"
        return TurnKernel(None, Missing.SOURCE_MISSING, said)
    return kept(source, limits)
