"""Submissions as rows: one upload act, what could not be imported of it, and which members are done."""

import uuid
from typing import Self

from django.db import models
from django.db.models import Q

from evaluation.models import Entry, Trajectory, Viewer
from portal.uploads.submission_words import HELD_ONCE, SubmissionState


class SubmissionQuerySet(models.QuerySet["Submission"]):
    def visible_to(self, viewer: Viewer) -> Self:
        """What this viewer handed in; staff see everything."""
        return self.all() if viewer.staff else self.filter(owner__in=viewer.owners)

    def written_by(self, viewer: Viewer) -> Self:
        """What this viewer may confirm, cancel or withdraw: their own, whoever they are."""
        return self.filter(owner__in=viewer.owners)


class Submission(models.Model):
    """One upload. Its bytes lie in the spool until it is imported or refused, and nowhere else.

    ``size`` is how many bytes were announced and ``received`` how many are there. ``sha256`` is that of the whole
    upload; empty while an upload in parts did not announce it. ``understood`` is a Preview and ``choices`` are
    Choices, both as canonical JSON. ``tries`` counts how often a worker began the step it is at; ``lease_key`` names
    the one that is at it now.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    owner = models.CharField(max_length=64, db_index=True)
    uploader = models.CharField(max_length=64)
    state = models.CharField(max_length=16, default=SubmissionState.UPLOADING.value)
    format = models.CharField(max_length=20, blank=True, default="")
    file_name = models.CharField(max_length=210)
    size = models.BigIntegerField()
    received = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True, default="")
    understood = models.TextField(blank=True, default="")
    choices = models.TextField(blank=True, default="")
    entry = models.OneToOneField(
        Entry, on_delete=models.PROTECT, null=True, blank=True, related_name="submission"
    )
    total = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)
    problem_count = models.PositiveIntegerField(default=0)
    refused = models.CharField(max_length=500, blank=True, default="")
    tries = models.PositiveIntegerField(default=0)
    lease_key = models.CharField(max_length=32, blank=True, default="")
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="submission_state_is_a_word",
                condition=Q(state__in=[str(state) for state in SubmissionState]),
            ),
            models.UniqueConstraint(
                name="submission_of_the_same_bytes_is_one_an_owner",
                fields=("owner", "sha256"),
                condition=Q(state__in=[str(state) for state in HELD_ONCE]),
            ),
            models.CheckConstraint(
                name="submission_has_all_its_bytes_once_it_is_held",
                condition=~Q(state__in=[str(state) for state in HELD_ONCE])
                | (Q(received=models.F("size")) & ~Q(sha256="")),
            ),
            models.CheckConstraint(
                name="submission_says_why_exactly_when_refused",
                condition=(Q(state=SubmissionState.REFUSED.value) & ~Q(refused=""))
                | (~Q(state=SubmissionState.REFUSED.value) & Q(refused="")),
            ),
        )
        indexes = (
            models.Index(fields=("state", "lease_until"), name="submission_by_state"),
            models.Index(fields=("owner", "-created_at"), name="submission_by_owner"),
        )

    def __str__(self) -> str:
        return str(self.uid)


class ImportProblem(models.Model):
    """What of a confirmed upload was not imported, or not as it is. Texts are scrubbed and safe to show."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="problems")
    member = models.CharField(max_length=300)
    kind = models.CharField(max_length=40)
    sentence = models.CharField(max_length=500)

    class Meta:
        indexes = (models.Index(fields=("submission", "id"), name="problem_by_submission"),)

    def __str__(self) -> str:
        return f"{self.member}: {self.sentence}"


class ImportedMember(models.Model):
    """A member that is done, with the trajectory it became, or without one where it could not be imported.

    ``member`` is the SHA-256 of its name.
    """

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="members")
    member = models.CharField(max_length=64)
    trajectory = models.OneToOneField(
        Trajectory, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(
                name="member_is_imported_once", fields=("submission", "member")
            ),
        )

    def __str__(self) -> str:
        return self.member
