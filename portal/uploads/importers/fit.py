"""Whether a trajectory can be judged as it is: the problem, the target and the layout that it names."""

from collections.abc import Iterator, Mapping

from portal.uploads.importers.fields import quoted_name
from portal.uploads.importers.records import NamedProblem, ReadTrajectory, Trouble


def fit(trajectory: ReadTrajectory, workloads: Mapping[str, str]) -> Iterator[NamedProblem]:
    """Yield what keeps a trajectory from being judged as it is, which its owner may still correct."""
    member = trajectory.member
    if not trajectory.problem:
        sentence = "the upload does not say which problem this is"
        yield NamedProblem(Trouble.NO_PROBLEM, sentence, member)
    elif trajectory.problem not in workloads:
        sentence = f"there is no problem {quoted_name(trajectory.problem)} here"
        yield NamedProblem(Trouble.UNKNOWN_PROBLEM, sentence, member)
    if trajectory.target is None:
        sentence = "the upload does not say for which target the kernels are"
        yield NamedProblem(Trouble.NO_TARGET, sentence, member)
    declared = trajectory.layout.turns
    if declared is not None and len(trajectory.turns) > declared:
        sentence = f"{len(trajectory.turns)} turns were taken where {declared} were declared"
        yield NamedProblem(Trouble.MORE_TURNS_THAN_DECLARED, sentence, member)
    yield from _other_workloads(trajectory, workloads)


def _other_workloads(
    trajectory: ReadTrajectory, workloads: Mapping[str, str]
) -> Iterator[NamedProblem]:
    ours = workloads.get(trajectory.problem)
    for turn in trajectory.turns:
        used = turn.reported.workloads if turn.reported else ()
        if ours and any(uuid and uuid != ours for uuid in used):
            sentence = "the reported result is of another workload than the one that is judged here"
            where = f"{trajectory.member}, turn {turn.number + 1}"
            yield NamedProblem(Trouble.OTHER_WORKLOAD, sentence, where)
