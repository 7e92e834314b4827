"""Stores a confirmed upload trajectory by trajectory; whoever goes on after a crash finds out what is there."""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.core.errors import InvalidInput
from evaluation.core.messages import JUDGE
from evaluation.core.ports import Artifacts
from evaluation.models import Entry, Trajectory
from evaluation.services import add_entry, add_trajectory, request_runs, set_visibility, withdraw
from leaderboard.projection import refresh
from portal.dispatch.waking import wake_dispatch
from portal.uploads.bounded_memory import at_most
from portal.uploads.choices import Choices, stored_choices
from portal.uploads.claims import Claim, Clock, Heartbeat, Lost, claim
from portal.uploads.failures import said_without_values
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.fields import shown
from portal.uploads.importers.records import NamedProblem, ReadTrajectory, Trouble
from portal.uploads.importing_rows import (
    corrected,
    named_problems,
    new_entry,
    new_trajectory,
    objections,
)
from portal.uploads.judged_problems import judged_problems
from portal.uploads.limits import reading_limits, upload_limits
from portal.uploads.models import ImportedMember, ImportProblem, Submission
from portal.uploads.preview import stored_preview
from portal.uploads.reading.refused import Refused
from portal.uploads.spool import spool
from portal.uploads.spooled_source import spooled_source
from portal.uploads.store import artifacts
from portal.uploads.stored_members import StoredMembers
from portal.uploads.submission_words import SubmissionState
from portal.uploads.taking_off import WITHDRAWN_EARLY, take_off

PROBLEMS_KEPT = 2000
_LOST_BYTES = (
    "Its bytes were lost on our side before all of it was imported. Please upload it again."
)


def import_submission(
    uid: UUID, *, store: Artifacts | None = None, clock: Clock = timezone.now
) -> None:
    """Import one confirmed submission to its end. Done again after any crash, it ends with the same rows."""
    claimed = claim(
        uid, begin=SubmissionState.CONFIRMED, going=SubmissionState.IMPORTING, at=clock()
    )
    if claimed is None:
        return
    with said_without_values("importing", uid), suppress(Lost):
        _Import(claimed, store or artifacts(), clock).run()


class _Import:
    """One worker's pass over one submission."""

    def __init__(self, claimed: Claim, store: Artifacts, clock: Clock) -> None:
        self._claimed = claimed
        self._submission = claimed.submission
        self._choices: Choices = stored_choices(claimed.submission)
        self._store = store
        self._clock = clock
        self._beat = Heartbeat(claimed, clock)
        self._problems = judged_problems()

    def run(self) -> None:
        entry = self._entry()
        try:
            with at_most(upload_limits().reading_memory_bytes):
                self._import_members(entry)
        except (Refused, FileNotFoundError):
            # It was read whole before it was confirmed, so its bytes are not what they were.
            self._give_up(entry)
        else:
            self._finish(entry)

    def _entry(self) -> Entry:
        """Derived from the submission, so that bytes that were withdrawn once can be handed in again."""
        preview = stored_preview(self._submission)
        assert preview is not None
        key = f"{self._submission.sha256} {self._submission.uid}"
        digest = hashlib.sha256(key.encode()).hexdigest()
        new = new_entry(preview, self._choices, owner=self._submission.owner, digest=digest)
        entry = add_entry(new, at=self._clock()).entry
        try:
            self._claimed.change(at=self._clock(), entry=entry)
        except Lost:
            if Submission.objects.filter(
                pk=self._submission.pk, state=SubmissionState.WITHDRAWN
            ).exists():
                withdraw(entry, reason=WITHDRAWN_EARLY, at=self._clock())
            raise
        return entry

    def _import_members(self, entry: Entry) -> None:
        submission = self._submission
        path = spool().path(submission.uid)
        source = spooled_source(path, submission.file_name, self._beat)
        limits = reading_limits()
        done = StoredMembers(submission)
        for read in importer_for(source, limits).read(source, limits, done=done):
            self._beat()
            self._import_one(entry, corrected(read, self._choices, self._problems))
            del read  # so that it is gone before the next one is read

    def _import_one(self, entry: Entry, read: ReadTrajectory) -> None:
        problems = named_problems(read)
        against = objections(read, self._problems)
        trajectory = None
        if not against:
            trajectory, against = self._add(entry, read)
        self._record(read, trajectory, (*against, *problems))

    def _add(
        self, entry: Entry, read: ReadTrajectory
    ) -> tuple[Trajectory | None, tuple[NamedProblem, ...]]:
        try:
            added = add_trajectory(
                self._store, entry, new_trajectory(read, self._problems), at=self._clock()
            )
        except InvalidInput as wrong:
            said = NamedProblem(Trouble.CONTRADICTION, str(wrong)[:500], read.member)
            return None, (said,)
        # A crash may come between the trajectory and its member, and leaves one without the other. A place that another
        # member has taken is the upload's contradiction.
        if (
            not added.created
            and ImportedMember.objects.filter(trajectory=added.trajectory).exists()
        ):
            sentence = "another trajectory of this upload has the same place; the first one counts"
            return None, (NamedProblem(Trouble.CONTRADICTION, sentence, read.member),)
        return added.trajectory, ()

    @transaction.atomic
    def _record(
        self, read: ReadTrajectory, trajectory: Trajectory | None, problems: Iterable[NamedProblem]
    ) -> None:
        """Note that a member is done, with everything there is to say of it, or nothing of both."""
        submission = self._submission
        self._claimed.change(at=self._clock(), done=F("done") + 1)
        ImportedMember.objects.create(
            submission=submission, member=StoredMembers.key(read.member), trajectory=trajectory
        )
        room = PROBLEMS_KEPT - ImportProblem.objects.filter(submission=submission).count()
        rows = [_row(submission, one) for one in problems]
        ImportProblem.objects.bulk_create(rows[: max(room, 0)])
        if rows:
            self._claimed.change(at=self._clock(), problem_count=F("problem_count") + len(rows))

    def _finish(self, entry: Entry) -> None:
        """Ask for the judging, show the entry, and say that it is done. Each of it can be done again."""
        self._claimed.change(at=self._clock())
        request_runs(entry, judge=JUDGE, at=self._clock())
        choices, state = self._choices, SubmissionState.IMPORTED
        if not set_visibility(entry, choices.visibility, embargo_until=choices.embargo):
            state = SubmissionState.WITHDRAWN  # by its owner, before all runs were asked for
            take_off(entry, at=self._clock())
        refresh([entry.pk], at=self._clock())
        with transaction.atomic():
            self._claimed.end(state, at=self._clock())
            wake_dispatch()
        spool().remove(self._submission.uid)

    def _give_up(self, entry: Entry) -> None:
        self._claimed.change(at=self._clock())
        withdraw(entry, reason=_LOST_BYTES, at=self._clock())
        self._claimed.end(SubmissionState.REFUSED, at=self._clock(), refused=_LOST_BYTES)
        spool().remove(self._submission.uid)


def _row(submission: Submission, problem: NamedProblem) -> ImportProblem:
    return ImportProblem(
        submission=submission,
        member=shown(problem.where, 300),
        kind=str(problem.kind),
        sentence=shown(problem.sentence, 500),
    )
