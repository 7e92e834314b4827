"""A MiniPTXAgent run directory as zip, tar or tar.gz: many trajectories, imported one by one."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from portal.uploads.importers.importer import Head, Shape
from portal.uploads.importers.mini_swe_agent import read_document
from portal.uploads.importers.records import (
    Ending,
    Format,
    NamedProblem,
    Place,
    ReadTrajectory,
    Trouble,
)
from portal.uploads.importers.run_files import NO_FILES, RunFiles, run_files
from portal.uploads.importers.run_names import (
    Part,
    RunMember,
    experiment_number,
    is_of_a_run,
    run_member,
)
from portal.uploads.importers.run_plan import Planned
from portal.uploads.importers.source import Source
from portal.uploads.reading.archives import Member, members
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole


@dataclass(frozen=True, slots=True)
class RunDirectory:
    name: Format = Format.RUN_DIRECTORY

    def recognises(self, head: Head) -> bool:
        return head.shape is Shape.ARCHIVE and is_of_a_run(head.member)

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        """Pass over the archive twice, because a plan may stand behind the trajectories that need it."""
        runs = run_files(source, limits)

        def wanted(name: str) -> bool:
            at = run_member(name)
            return at is not None and at.part is Part.TRAJECTORY and name not in done

        told: set[str] = set()
        with source.open() as archive:
            for member in members(archive, limits, wanted):
                yield _read(member, runs, told, limits)


def _read(
    member: Member, runs: Mapping[str, RunFiles], told: set[str], limits: Limits
) -> ReadTrajectory:
    """Read one trajectory; a run's own problems are told with the first of its trajectories."""
    at = run_member(member.name)
    assert at is not None
    files = runs.get(at.root, NO_FILES)
    of_the_run = files.problems if at.root not in told else ()
    told.add(at.root)
    content = whole(member.stream, limits.document_bytes, member.name)
    return _joined(read_document(content, member.name, limits), at, files, of_the_run)


def _joined(
    read: ReadTrajectory, at: RunMember, files: RunFiles, of_the_run: tuple[NamedProblem, ...]
) -> ReadTrajectory:
    """Add what the run says about a trajectory; what the trajectory says of itself comes first."""
    plan = files.of(at.experiment)
    summed = files.summary.get(at.experiment)
    problem = read.problem or (plan and plan.definition) or (summed and summed.definition) or ""
    stopped = read.ending is Ending.UNKNOWN and summed is not None and not summed.ended
    return replace(
        read,
        format=Format.RUN_DIRECTORY,
        problem=problem,
        place=plan.place if plan else Place(0, experiment_number(at.experiment) or 0),
        layout=replace(plan.layout, turns=plan.layout.turns or read.layout.turns)
        if plan
        else read.layout,
        ending=Ending.STOPPED if stopped else read.ending,
        problems=(
            *read.problems,
            *of_the_run,
            *files.compared(at.experiment, read.turns),
            *_misplaced(read, plan),
        ),
    )


def _misplaced(read: ReadTrajectory, plan: Planned | None) -> Iterator[NamedProblem]:
    if plan is None:
        sentence = "the plan does not say which prompt this is, so it is taken for the first one"
        yield NamedProblem(Trouble.NO_PLACE, sentence, read.member)
    elif read.problem and plan.definition and read.problem != plan.definition:
        sentence = "plan.json names another problem than the evaluations do; the evaluations count"
        yield NamedProblem(Trouble.CONTRADICTION, sentence, read.member)
