"""From what an importer read to what is stored: pure, one trajectory at a time."""

from dataclasses import replace

from evaluation.core.entry_words import Authorship, Ending, Missing, Visibility
from evaluation.services import NewEntry, NewReported, NewTrajectory, NewTurn
from portal.uploads.choices import Choices
from portal.uploads.importers.records import (
    Format,
    NamedProblem,
    ReadReported,
    ReadTrajectory,
    ReadTurn,
    Trouble,
)
from portal.uploads.judged_problems import Problems
from portal.uploads.preview import Preview

# Written by a harness while it ran; the others are put together afterwards.
_LOGS = frozenset({Format.MINI_SWE_AGENT, Format.RUN_DIRECTORY, Format.ATIF})
_BREAKS_A_LOG = frozenset({Missing.SOURCE_MISSING, Missing.UNREADABLE, Missing.TOO_LARGE})


def new_entry(preview: Preview, choices: Choices, *, owner: str, digest: str) -> NewEntry:
    """The entry of an upload, hidden while it is imported."""
    return NewEntry(
        owner=owner,
        digest=digest,
        language=preview.languages[0],
        proposed_model=choices.model,
        harness=choices.harness,
        harness_version=choices.harness_version,
        pack=choices.pack,
        reasoning_effort=choices.reasoning_effort,
        prompts=choices.prompts,
        trajectories=choices.trajectories,
        turns=choices.turns,
        authorship=authorship(preview),
        visibility=Visibility.PRIVATE,
        licence=choices.licence,
        single_kernel=preview.single_kernel,
    )


def authorship(preview: Preview) -> Authorship:
    """A log counts as such only where it is complete: every turn has its kernel, or its reply had none."""
    broken = any(one.word in _BREAKS_A_LOG for one in preview.missing)
    if preview.formats and _LOGS.issuperset(preview.formats) and not broken:
        return Authorship.HARNESS_LOG
    return Authorship.UPLOADER


def corrected(read: ReadTrajectory, choices: Choices, problems: Problems) -> ReadTrajectory:
    """Fill in what the upload does not say, or names otherwise than we do; what it says stays."""
    return replace(
        read,
        problem=read.problem if read.problem in problems else choices.problem or read.problem,
        target=read.target or choices.target,
        device=read.device or choices.device,
    )


def objections(read: ReadTrajectory, problems: Problems) -> tuple[NamedProblem, ...]:
    """Why a corrected trajectory cannot be imported; empty where it can."""
    problem = problems.get(read.problem)
    found = []
    if problem is None:
        found.append(
            NamedProblem(Trouble.UNKNOWN_PROBLEM, "its problem is not judged here", read.member)
        )
    if read.target is None:
        found.append(
            NamedProblem(Trouble.NO_TARGET, "nobody said for which target it is", read.member)
        )
    elif problem is not None and read.target not in problem.targets:
        sentence = f"{problem.name} is not judged for {read.target}"
        found.append(NamedProblem(Trouble.NO_TARGET, sentence, read.member))
    if not read.turns:
        found.append(NamedProblem(Trouble.NOT_A_TRAJECTORY, "it has no turns", read.member))
    return tuple(found)


def new_trajectory(read: ReadTrajectory, problems: Problems) -> NewTrajectory:
    """A trajectory without objections, as it is stored."""
    assert read.target is not None
    return NewTrajectory(
        problem=read.problem,
        problem_version=problems[read.problem].version,
        target=read.target,
        turns=tuple(_turn(turn) for turn in read.turns),
        reported_device=read.device,
        prompt=read.place.prompt,
        number=read.place.number,
        ending=Ending(read.ending.value),
        document=read.document.content if read.document else None,
    )


def named_problems(read: ReadTrajectory) -> tuple[NamedProblem, ...]:
    return (*read.problems, *(problem for turn in read.turns for problem in turn.problems))


def _turn(read: ReadTurn) -> NewTurn:
    return NewTurn(
        number=read.number,
        kernel=read.kernel.encode() if read.kernel is not None else None,
        missing=read.missing,
        missing_said=read.missing_said,
        event=read.event,
        reply=read.reply.encode() if read.reply else None,
        prompt_tokens=read.usage.prompt_tokens,
        completion_tokens=read.usage.completion_tokens,
        reasoning_tokens=read.usage.reasoning_tokens,
        cost_usd=read.usage.cost_usd,
        at=read.at,
        reported=_reported(read.reported) if read.reported else None,
    )


def _reported(read: ReadReported) -> NewReported:
    return NewReported(
        status=read.status,
        correct=read.correct,
        speedup=read.speedup,
        latency_us=read.latency_us,
        reference_us=read.reference_us,
        device=read.device,
        workloads=len(read.workloads),
    )
