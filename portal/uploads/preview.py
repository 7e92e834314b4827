"""What an upload was understood to be, as a record that its owner sees before anything is stored."""

from dataclasses import dataclass

from evaluation.core import wire
from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.fields import shown
from portal.uploads.importers.records import Format, Layout, Proposed, ReadTrajectory
from portal.uploads.importers.understood import Tally, Understood
from portal.uploads.judged_problems import judged_problems, workloads
from portal.uploads.models import Submission

_WHERE_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Counted:
    """``word`` as it is shown, and how many turns it is true of."""

    word: Missing
    turns: int


@dataclass(frozen=True, slots=True)
class Removed:
    """Where a secret was; never what it was."""

    kind: str
    member: str
    where: str


@dataclass(frozen=True, slots=True)
class NamedTrouble:
    kind: str
    sentence: str
    where: str


@dataclass(frozen=True, slots=True)
class Preview:
    """Lists are short; whole numbers stand beside those that may be cut. ``seen`` is the least layout that holds all.

    ``without_problem`` and ``without_target`` count trajectories that can only be imported with a correction.
    """

    formats: tuple[Format, ...]
    proposed: tuple[Proposed, ...]
    languages: tuple[Language, ...]
    problems: tuple[str, ...]
    targets: tuple[Target, ...]
    devices: tuple[str, ...]
    layouts: tuple[Layout, ...]
    seen: Layout
    trajectories: int
    turns: int
    kernels: int
    different_kernels: int
    missing: tuple[Counted, ...]
    reported: int
    reported_correct: int
    secrets: int
    removed: tuple[Removed, ...]
    troubles: tuple[NamedTrouble, ...]
    troubles_total: int
    without_problem: int
    without_target: int
    single_kernel: bool

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.model for one in self.proposed if one.model))

    @property
    def blockers(self) -> tuple[str, ...]:
        """What keeps the upload from being one entry, whatever its owner says of it."""
        found = []
        if not self.turns:
            found.append("No turn was found in it.")
        if len(self.models) > 1:
            found.append(
                f"It holds trajectories of {len(self.models)} models; upload one model at a time."
            )
        if len(self.languages) > 1:
            found.append(
                "It holds kernels in more than one language; upload one language at a time."
            )
        return tuple(found)


class Reading:
    """Counts an upload up while its trajectories stream by."""

    def __init__(self) -> None:
        self._judged = judged_problems()
        self._tally = Tally(workloads(self._judged))
        self._prompts = self._numbers = self._turns = 1
        self._without_problem = self._without_target = 0
        self._languages: dict[Language, None] = {}

    def add(self, read: ReadTrajectory) -> None:
        self._tally.add(read)
        if read.turns:  # one that could not be read at all says nothing of its language
            self._languages[read.proposed.language] = None
        self._prompts = max(self._prompts, read.place.prompt + 1)
        self._numbers = max(self._numbers, read.place.number + 1)
        self._turns = max(self._turns, *(turn.number + 1 for turn in read.turns), 1)
        self._without_problem += read.problem not in self._judged
        self._without_target += read.target is None

    def preview(self) -> Preview:
        found = self._tally.understood()
        return Preview(
            formats=found.formats,
            proposed=found.proposed,
            languages=tuple(self._languages),
            problems=found.problems,
            targets=found.targets,
            devices=found.devices,
            layouts=found.layouts,
            seen=Layout(self._prompts, self._numbers, self._turns),
            trajectories=found.trajectories,
            turns=found.turns,
            kernels=found.kernels,
            different_kernels=found.different_kernels,
            missing=tuple(Counted(word, turns) for word, turns in sorted(found.missing.items())),
            reported=found.reported,
            reported_correct=found.reported_correct,
            secrets=found.secrets,
            removed=_removed(found),
            troubles=_troubles(found),
            troubles_total=found.named_total,
            without_problem=self._without_problem,
            without_target=self._without_target,
            single_kernel=found.single_kernel,
        )


def stored_preview(submission: Submission) -> Preview | None:
    """The preview of a submission that was read; None before."""
    if not submission.understood:
        return None
    where = f"preview of {submission.uid}"
    return wire.decode(Preview, submission.understood.encode(), where=where)


def _removed(found: Understood) -> tuple[Removed, ...]:
    # A member is called what a stranger called it, so the name of one may hold what was removed from another.
    return tuple(
        Removed(
            str(one.found.kind),
            shown(one.member, _WHERE_CHARACTERS),
            shown(one.found.where, _WHERE_CHARACTERS),
        )
        for one in found.secret_places
    )


def _troubles(found: Understood) -> tuple[NamedTrouble, ...]:
    return tuple(
        NamedTrouble(str(one.kind), one.sentence[:500], shown(one.where, _WHERE_CHARACTERS))
        for one in found.named
    )
