"""One try of one half of a run by a worker: Attempt."""

import uuid
from typing import Self

from django.db import models
from django.db.models import Q

from evaluation.core.run_words import LIVE_ATTEMPTS, AttemptState, Half
from evaluation.models.constraints import exactly_when, sha256_length, words
from evaluation.models.runs import Run

_LIVE = [str(state) for state in LIVE_ATTEMPTS]


class AttemptQuerySet(models.QuerySet["Attempt"]):
    def live(self) -> Self:
        """Attempts that are out: sent or started."""
        return self.filter(state__in=_LIVE)


class Attempt(models.Model):
    """One try of one half of a run. ``key_digest`` is the SHA-256 of its report key; the key is only in the message.

    ``number`` counts the attempts of this half from 1. ``ended_why`` is a sentence for the operator. ``ending`` is what
    the worker said when its half was done, as JSON without the key: it waits there for reports that it overtook.
    ``noted_at``: when its worker was about to launch the kernel. ``lost``: a worker told that it or the GPU went down
    while the kernel ran, which is counted once.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="attempts")
    half = models.CharField(max_length=16)
    number = models.PositiveIntegerField()
    queue = models.CharField(max_length=80)
    key_digest = models.CharField(max_length=64)
    state = models.CharField(max_length=16, default=AttemptState.SENT.value)
    worker = models.CharField(max_length=128, blank=True, default="")
    device = models.CharField(max_length=40, blank=True, default="")
    sent_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_why = models.CharField(max_length=500, blank=True, default="")
    ending = models.TextField(blank=True, default="")
    noted_at = models.DateTimeField(null=True, blank=True)
    lost = models.BooleanField(default=False)

    objects = AttemptQuerySet.as_manager()

    class Meta:
        constraints = (
            words("attempt_half_is_a_word", "half", Half),
            words("attempt_state_is_a_word", "state", AttemptState),
            sha256_length("attempt_has_a_whole_key_digest", "key_digest"),
            models.CheckConstraint(
                name="attempt_number_is_1_to_1000", condition=Q(number__gte=1, number__lte=1000)
            ),
            models.UniqueConstraint(
                name="attempt_number_is_given_once_a_half", fields=("run", "half", "number")
            ),
            models.UniqueConstraint(
                name="attempt_is_the_only_live_one_of_its_run",
                fields=("run",),
                condition=Q(state__in=_LIVE),
            ),
            models.CheckConstraint(
                name="attempt_has_an_end_exactly_when_not_live",
                condition=exactly_when(Q(state__in=_LIVE), Q(ended_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="attempt_started_has_worker_and_lease",
                condition=~Q(state=AttemptState.STARTED.value)
                | Q(~Q(worker=""), started_at__isnull=False, lease_until__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_noted_has_started",
                condition=Q(noted_at__isnull=True)
                | Q(~Q(worker=""), started_at__isnull=False, lease_until__isnull=False),
            ),
            models.CheckConstraint(
                name="attempt_sent_has_not_started",
                condition=~Q(state=AttemptState.SENT.value)
                | Q(worker="", started_at__isnull=True, lease_until__isnull=True),
            ),
        )
        indexes = (
            models.Index(fields=("state", "lease_until"), name="attempt_by_lease"),
            models.Index(fields=("queue", "state"), name="attempt_by_queue"),
            models.Index(fields=("half", "sent_at"), name="attempt_by_time_sent"),
        )

    def __str__(self) -> str:
        return f"{self.half} {self.number}"
