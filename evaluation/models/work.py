"""What was written: Trajectory, Turn, Kernel, and what an upload itself says of a turn (ReportedResult)."""

import uuid

from django.db import models
from django.db.models import Q

from evaluation.core.entry_words import Ending, Missing
from evaluation.core.verdict import Language, Target
from evaluation.models.artifacts import Artifact
from evaluation.models.authors import Entry
from evaluation.models.constraints import exactly_when, sha256_length, within, words

_KEEPING_A_KERNEL = [str(word) for word in Missing if word.keeps_kernel]
_LARGEST_COUNT = 10**12


class Kernel(models.Model):
    """Source bytes by hash, read as one language."""

    sha256 = models.CharField(max_length=64)
    language = models.CharField(max_length=16)
    size = models.BigIntegerField()
    artifact = models.ForeignKey(Artifact, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = (
            words("kernel_language_is_a_word", "language", Language),
            sha256_length("kernel_has_a_whole_hash", "sha256"),
            models.UniqueConstraint(
                name="kernel_is_kept_once_a_language", fields=("sha256", "language")
            ),
            models.CheckConstraint(name="kernel_size_is_no_less_than_0", condition=Q(size__gte=0)),
        )

    def __str__(self) -> str:
        return self.sha256[:12]


class Trajectory(models.Model):
    """One row of turns at one problem. ``prompt`` and ``number`` count from 0 within the entry's layout.

    ``reported_device`` is where the upload says it ran, and may be empty. ``document`` is the scrubbed original.
    The target belongs to the key: one kernel for two targets has no device that would tell them apart.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="trajectory_rows")
    problem = models.CharField(max_length=80)
    problem_version = models.PositiveIntegerField()
    target = models.CharField(max_length=16)
    reported_device = models.CharField(max_length=40, blank=True, default="")
    prompt = models.PositiveIntegerField(default=0)
    number = models.PositiveIntegerField(default=0)
    ending = models.CharField(max_length=16, default=Ending.UNKNOWN.value)
    document = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name_plural = "trajectories"
        constraints = (
            words("trajectory_target_is_a_word", "target", Target),
            words("trajectory_ending_is_a_word", "ending", Ending),
            models.UniqueConstraint(
                name="trajectory_has_one_place_in_its_entry",
                fields=("entry", "problem", "target", "reported_device", "prompt", "number"),
            ),
            models.CheckConstraint(
                name="trajectory_names_a_problem",
                condition=~Q(problem="") & Q(problem_version__gte=1),
            ),
        )
        indexes = (
            models.Index(
                fields=("problem", "problem_version", "target"), name="trajectory_by_problem"
            ),
        )

    def __str__(self) -> str:
        return f"{self.problem} {self.prompt}.{self.number}"


class Turn(models.Model):
    """One reply of an author, ``number`` from 0. It has a kernel to judge, or says why it has none.

    ``at`` is when the upload says the reply was made; ``event`` what the harness says it led to.
    """

    trajectory = models.ForeignKey(Trajectory, on_delete=models.PROTECT, related_name="turns")
    number = models.PositiveIntegerField()
    kernel = models.ForeignKey(
        Kernel, on_delete=models.PROTECT, null=True, blank=True, related_name="turns"
    )
    missing = models.CharField(max_length=20, blank=True, default="")
    missing_said = models.CharField(max_length=500, blank=True, default="")
    event = models.CharField(max_length=40, blank=True, default="")
    reply = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    prompt_tokens = models.BigIntegerField(null=True, blank=True)
    completion_tokens = models.BigIntegerField(null=True, blank=True)
    reasoning_tokens = models.BigIntegerField(null=True, blank=True)
    cost_usd = models.FloatField(null=True, blank=True)
    at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            words("turn_missing_is_a_word", "missing", Missing, or_empty=True),
            models.UniqueConstraint(
                name="turn_has_one_place_in_its_trajectory", fields=("trajectory", "number")
            ),
            models.CheckConstraint(
                name="turn_has_a_kernel_or_says_what_is_missing",
                condition=exactly_when(
                    Q(kernel__isnull=False), Q(missing__in=["", *_KEEPING_A_KERNEL])
                ),
            ),
            models.CheckConstraint(
                name="turn_has_a_sentence_exactly_when_missing",
                condition=exactly_when(Q(missing=""), Q(missing_said="")),
            ),
            within(
                "turn_tokens_are_counts",
                "prompt_tokens",
                "completion_tokens",
                "reasoning_tokens",
                high=_LARGEST_COUNT,
            ),
            within("turn_cost_is_a_number", "cost_usd"),
        )

    def __str__(self) -> str:
        return f"turn {self.number}"


class ReportedResult(models.Model):
    """What the upload itself says of a turn; unchecked, shown beside ours and never ranked."""

    turn = models.OneToOneField(Turn, on_delete=models.CASCADE, related_name="reported")
    status = models.CharField(max_length=60)
    correct = models.BooleanField(null=True, blank=True)
    speedup = models.FloatField(null=True, blank=True)
    latency_us = models.FloatField(null=True, blank=True)
    reference_us = models.FloatField(null=True, blank=True)
    device = models.CharField(max_length=80, blank=True, default="")
    workloads = models.PositiveIntegerField(default=1)

    class Meta:
        constraints = (
            within("reported_numbers_are_finite", "speedup", "latency_us", "reference_us"),
        )

    def __str__(self) -> str:
        return self.status
