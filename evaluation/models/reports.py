"""What the stages of an attempt said: StageReport, and the Signals in it."""

from django.db import models

from evaluation.core.verdict import Severity, Stage, Verdict
from evaluation.models.artifacts import Artifact
from evaluation.models.attempts import Attempt
from evaluation.models.constraints import words
from evaluation.models.runs import Run


class StageReport(models.Model):
    """One report of one stage; ``place`` counts those of the attempt from 0, and a second telling changes nothing.

    ``body`` is the canonical JSON of the report without its log. It is text and no JSON column: it is never searched,
    and PostgreSQL's would refuse the NUL that a quoted source line may hold.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, related_name="reports")
    place = models.PositiveIntegerField()
    stage = models.CharField(max_length=16)
    verdict = models.CharField(max_length=24, blank=True, default="")
    headline = models.CharField(max_length=500)
    reported_at = models.DateTimeField()
    body = models.TextField()
    log = models.ForeignKey(
        Artifact, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        constraints = (
            words("report_stage_is_a_word", "stage", Stage),
            words("report_verdict_is_a_word", "verdict", Verdict, or_empty=True),
            models.UniqueConstraint(
                name="report_has_one_place_in_its_attempt", fields=("attempt", "place")
            ),
        )

    def __str__(self) -> str:
        return f"{self.stage}: {self.headline}"


class Signal(models.Model):
    """Something a person should look at. ``rule`` and ``version`` say which rule spoke, ``said`` is its sentence.

    The evidence lines are in the body of the report, where ``place`` finds the signal.
    """

    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="signals")
    report = models.ForeignKey(StageReport, on_delete=models.PROTECT, related_name="signals")
    place = models.PositiveIntegerField()
    stage = models.CharField(max_length=16)
    rule = models.CharField(max_length=48)
    version = models.PositiveIntegerField(default=1)
    severity = models.CharField(max_length=16)
    said = models.CharField(max_length=1000)

    class Meta:
        constraints = (
            words("signal_stage_is_a_word", "stage", Stage),
            words("signal_severity_is_a_word", "severity", Severity),
            models.UniqueConstraint(
                name="signal_has_one_place_in_its_report", fields=("report", "place")
            ),
        )

    def __str__(self) -> str:
        return self.rule
