"""What the host code asked about the device and was told (rule L6): the plan holds only there."""

import json
from collections.abc import Iterable

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Assumption, Step
from evaluation.core.plan.plan_limits import ASSUMPTIONS
from evaluation.core.quoting import quoted
from evaluation.core.record.assumption_table import first_forged, settled
from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.record_subject import Subject
from evaluation.core.record.recording import Query, Recording

_EVIDENCE_CHARACTERS = 400


def assumptions(first: Recording, second: Recording, subject: Subject) -> tuple[Assumption, ...]:
    """List every question with its answers, each pair once, in an order of its own.

    Raise InvalidInput for an answer that the device table does not give: the recording was not written by the shim
    alone. Raise Refusal if two processes asked or were told different things.
    """
    for recording in (first, second):
        forged = first_forged(recording.events, subject.table, subject.cubin)
        if forged is not None:
            raise InvalidInput(where="recording", key=_words(forged), rule=_rule(forged))
    mine, theirs = _queries(first), _queries(second)
    if len(mine) != len(theirs):
        raise _unsteady(max(mine, theirs, key=len)[min(len(mine), len(theirs))])
    for here, there in zip(mine, theirs, strict=True):
        if here != there:
            raise _unsteady(here)
    found = {Assumption(one.call, one.arguments, one.answer) for one in mine}
    if len(found) > ASSUMPTIONS:
        raise refuse(f"asks more than {ASSUMPTIONS} different questions of the device", rule="L6")
    return tuple(sorted(found, key=_order))


def that_stand(
    told: tuple[Assumption, ...], steps: Iterable[Step], subject: Subject
) -> tuple[Assumption, ...]:
    """Leave out what the real device may answer otherwise, though the recorder did answer so.

    That is what depends on attributes that stand otherwise after all steps of the plan: the launcher asks when it has
    set the attributes of the plan. And what is in doubt for the device itself.
    """
    return settled(told, subject.table, subject.cubin, steps)


def _queries(recording: Recording) -> list[Query]:
    return [event for event in recording.events if isinstance(event, Query)]


def _rule(forged: Query) -> str:
    return f"holds an answer that the device table does not give: {quoted(forged.call)}"


def _words(query: Query) -> str:
    """Say what was asked and told, for the owner."""
    return quoted(
        json.dumps([query.call, query.arguments, query.answer]), limit=_EVIDENCE_CHARACTERS
    )


def _unsteady(query: Query) -> Exception:
    return refuse(
        f"two runs with the same arguments ask the device different things: {quoted(query.call)}",
        rule="L6",
        instead="let host code depend on nothing but the arguments of run",
    )


def _order(one: Assumption) -> str:
    return json.dumps([one.call, one.arguments, one.answer])
