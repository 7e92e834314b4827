"""Judging as rows: a Run is one judging of one kernel."""

import uuid
from datetime import datetime
from typing import Self

from django.db import models

from evaluation.core.run_words import PENDING_RUNS
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    Lane,
    MatrixPath,
    RunState,
)
from evaluation.models.artifacts import Artifact
from evaluation.models.authors import Entry
from evaluation.models.run_rules import RUN_RULES
from evaluation.models.viewer import Viewer
from evaluation.models.work import Kernel

_PENDING = [str(state) for state in PENDING_RUNS]


class RunQuerySet(models.QuerySet["Run"]):
    def waiting(self) -> Self:
        """Runs whose prepare half can be sent."""
        return self.filter(state=RunState.WAITING)

    def ready(self) -> Self:
        """Runs whose measure half can be sent."""
        return self.filter(state=RunState.READY)

    def pending(self) -> Self:
        """Runs that have not ended: neither finished, abandoned nor cancelled."""
        return self.filter(state__in=_PENDING)

    def finished(self) -> Self:
        return self.filter(state=RunState.FINISHED)

    def counting(self) -> Self:
        """Runs that results may rest on, the one that counts first: finished and applied, the newest first."""
        return self.finished().filter(applied=True).order_by("-finished_at", "-pk")

    def public(self, *, at: datetime | None = None) -> Self:
        """Runs whose owner shows the kernel in a public entry, so that others may come to rest on them."""
        shown = Entry.objects.public(at=at).filter(
            owner=models.OuterRef("owner"), trajectory_rows__turns__kernel=models.OuterRef("kernel")
        )
        return self.filter(models.Q(shared=True) | models.Exists(shown))

    def visible_to(self, viewer: Viewer, *, at: datetime | None = None) -> Self:
        """Runs that this viewer may see, holds apart."""
        if viewer.staff:
            return self.all()
        return self.filter(owner__in=viewer.owners) | self.public(at=at)


class Run(models.Model):
    """One judging of one kernel at one problem version, by one judge series; never changed once it ended.

    ``device_wanted`` is empty where any device of the target will do; ``device`` is chosen when the run is sent. A
    higher ``priority`` is sent first. ``finished_at`` is when the run ended, also where it was abandoned or cancelled.
    ``boards_due_at`` is since when boards have to look at its kernel again, and NULL once they have.
    ``not_before`` keeps a run that came back from being sent again at once.
    ``scan_family`` and ``bulk_rows`` are what the scan found, which the measure half is told; ``family`` is the
    finding. ``failures`` counts our own, ``losses`` the GPUs and workers that went down while this kernel ran.

    ``applied`` is False for a judging again whose result nobody has put into effect. One owner has at most one pending
    run of the same thing; owners who do not see each other's do not wait for each other either. ``shared`` is set when
    another owner's entry comes to rest on this run while its kernel is public, and stays: what is withdrawn later
    takes no result from others.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="runs")
    problem = models.CharField(max_length=80)
    problem_version = models.PositiveIntegerField()
    target = models.CharField(max_length=16)
    device_wanted = models.CharField(max_length=40, blank=True, default="")
    device = models.CharField(max_length=40, blank=True, default="")
    judge = models.CharField(max_length=20)
    language = models.CharField(max_length=16)
    owner = models.CharField(max_length=64, blank=True, default="")
    priority = models.SmallIntegerField(default=0)
    applied = models.BooleanField(default=True)
    shared = models.BooleanField(default=False)
    state = models.CharField(max_length=16, default=RunState.WAITING.value)
    waits_for = models.CharField(max_length=200, blank=True, default="")
    not_before = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=24, blank=True, default="")
    correct = models.CharField(max_length=16, default=Correct.UNKNOWN.value)
    family = models.CharField(max_length=32, default=FamilyExecuted.UNKNOWN.value)
    matrix_path = models.CharField(max_length=16, default=MatrixPath.UNKNOWN.value)
    coverage = models.FloatField(null=True, blank=True)
    executed_share = models.FloatField(null=True, blank=True)
    ratio = models.FloatField(null=True, blank=True)
    ratio_low = models.FloatField(null=True, blank=True)
    ratio_high = models.FloatField(null=True, blank=True)
    candidate_ns = models.BigIntegerField(null=True, blank=True)
    vendor_ns = models.BigIntegerField(null=True, blank=True)
    speed_reason = models.CharField(max_length=500, blank=True, default="")
    integrity = models.CharField(max_length=16, default=Integrity.CLEAR.value)
    lane = models.CharField(max_length=16, default=Lane.RECORDED.value)
    losses = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    plan = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    cubin = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    facts = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    scan_family = models.CharField(max_length=32, default=FamilyExecuted.UNKNOWN.value)
    bulk_rows = models.PositiveIntegerField(default=0)
    gpu_seconds = models.FloatField(default=0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    boards_due_at = models.DateTimeField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        constraints = RUN_RULES
        indexes = (
            models.Index(fields=("state", "-priority", "created_at"), name="run_by_state"),
            models.Index(
                fields=("kernel", "problem", "problem_version", "target", "judge"),
                name="run_by_kernel",
            ),
            models.Index(fields=("owner", "state"), name="run_by_owner"),
            models.Index(
                fields=("boards_due_at",),
                name="run_due_on_boards",
                condition=models.Q(boards_due_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return str(self.uid)
