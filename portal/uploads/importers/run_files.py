"""What a run directory says beside its trajectories: the plan, the summary, and the kernels kept as successes."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.records import LIMIT_WORD_CHARACTERS, NamedProblem, ReadTurn, Trouble
from portal.uploads.importers.run_names import Part, RunMember, experiment_number, run_member
from portal.uploads.importers.run_plan import PLAN_WANTED, Planned, planned
from portal.uploads.importers.source import Source
from portal.uploads.reading.archives import Member, members
from portal.uploads.reading.json_stream import EACH, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole
from portal.uploads.reading.refused import Refused, TooLarge

LIMIT_RUNS = 64
LIMIT_ENTRIES = 10_000  # of one plan or record
_SUMMARY_WANTED = (Wanted(("results", EACH), keep=(("exp_name",), ("definition",), ("status",))),)
_RECORD_WANTED = (Wanted((EACH,), keep=(("version",), ("turn",))),)


@dataclass(frozen=True, slots=True)
class Summed:
    """What the summary says of one experiment. ``ended`` is false where its process did not end as it should."""

    definition: str
    ended: bool


@dataclass(frozen=True, slots=True)
class RunFiles:
    """Of one run: its plan by experiment number, its summary by experiment, its success kernels by turn too."""

    plan: Mapping[int, Planned]
    summary: Mapping[str, Summed]
    successes: Mapping[str, Mapping[int, bytes]]
    problems: tuple[NamedProblem, ...]

    def of(self, experiment: str) -> Planned | None:
        number = experiment_number(experiment)
        return None if number is None else self.plan.get(number)

    def compared(self, experiment: str, turns: tuple[ReadTurn, ...]) -> Iterator[NamedProblem]:
        """Yield a problem for each success whose kernel is not the one of its turn's reply."""
        by_number = {turn.number: turn for turn in turns}
        for number, digest in sorted(self.successes.get(experiment, {}).items()):
            sentence = _difference(by_number.get(number), digest)
            if turns and sentence:
                where = f"{experiment}, turn {number + 1}"
                yield NamedProblem(Trouble.OTHER_KERNEL_IN_SUCCESS, sentence, where)


NO_FILES = RunFiles({}, {}, {}, ())


@dataclass(slots=True)
class _Gathered:
    """One run while its members are read, in whatever order the archive has them."""

    problems: Problems = field(default_factory=Problems)
    items: tuple[Fields, ...] = ()
    summary: dict[str, Summed] = field(default_factory=dict)
    turns: dict[tuple[str, int], int] = field(default_factory=dict)  # by experiment and version
    kernels: dict[tuple[str, int], bytes] = field(default_factory=dict)

    def take(self, at: RunMember, member: Member, limits: Limits) -> None:
        if at.part is Part.PLAN:
            self.items = tuple(self._picked(PLAN_WANTED, member, limits))
        elif at.part is Part.SUMMARY:
            for result in self._picked(_SUMMARY_WANTED, member, limits):
                ended = result.name("status", limit=LIMIT_WORD_CHARACTERS) == "success"
                summed = Summed(result.name("definition"), ended)
                self.summary[result.name("exp_name")] = summed
        elif at.part is Part.RECORD:
            for entry in self._picked(_RECORD_WANTED, member, limits):
                version, turn = entry.count("version"), entry.count("turn")
                if version is not None and turn is not None:
                    self.turns[at.experiment, version] = turn
        elif at.part is Part.KERNEL:
            self.kernels[at.experiment, at.version] = _digest(member, limits)

    def files(self) -> RunFiles:
        successes: dict[str, dict[int, bytes]] = {}
        for (experiment, version), digest in self.kernels.items():
            turn = self.turns.get((experiment, version))
            if turn is not None:
                successes.setdefault(experiment, {})[turn] = digest
        return RunFiles(planned(self.items), self.summary, successes, self.problems.all())

    def _picked(
        self, wanted: tuple[Wanted, ...], member: Member, limits: Limits
    ) -> Iterator[Fields]:
        for number, one in enumerate(picked(member.stream, wanted, limits, member.name)):
            if number == LIMIT_ENTRIES:
                raise Refused(f"this file lists more than {LIMIT_ENTRIES} entries", member.name)
            yield Fields(one.value, f"{member.name}[{number}]", self.problems)


def run_files(source: Source, limits: Limits) -> Mapping[str, RunFiles]:
    """Read every run's small members in one pass over the archive; by the run's root folder."""
    runs: dict[str, _Gathered] = {}
    with source.open() as archive:
        for member in members(archive, limits, _is_wanted):
            at = run_member(member.name)
            assert at is not None
            if at.root not in runs and len(runs) == LIMIT_RUNS:
                sentence = f"the archive holds more than {LIMIT_RUNS} run directories"
                raise Refused(sentence, member.name)
            runs.setdefault(at.root, _Gathered()).take(at, member, limits)
    return {root: gathered.files() for root, gathered in runs.items()}


def same_text(kernel: str) -> bytes:
    """Digest a kernel without what harnesses change when they write one: line ends and white space around it."""
    return hashlib.sha256(kernel.replace("\r\n", "\n").strip().encode()).digest()


def _difference(turn: ReadTurn | None, digest: bytes) -> str:
    """Say how the kernel kept in success/ differs from the turn's; empty where it does not."""
    if turn is None:
        return "success/ keeps a kernel of a turn that the trajectory does not have"
    scrubbed = bool(turn.secrets)  # then its text is no longer what the harness kept
    if scrubbed or (turn.kernel is not None and same_text(turn.kernel) == digest):
        return ""
    return "the kernel kept in success/ is not the one in this turn's reply; the reply counts"


def _digest(member: Member, limits: Limits) -> bytes:
    try:
        content = whole(member.stream, limits.kernel_bytes, member.name)
    except TooLarge:
        return b""  # no kernel in a reply is as large, so it is none of them
    return same_text(content.decode("utf-8", "replace"))


def _is_wanted(name: str) -> bool:
    at = run_member(name)
    return at is not None and at.part is not Part.TRAJECTORY
