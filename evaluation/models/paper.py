"""Values of publications, imported by staff; never in one cell with ours, never ranked together."""

from django.db import models
from django.db.models import F, Q

from evaluation.core.entry_words import PaperMetric
from evaluation.core.verdict import Target
from evaluation.models.authors import Model
from evaluation.models.constraints import within, words


class PaperCell(models.Model):
    """One published value: a rate as numerator and denominator, or a speedup as ``value`` (NULL: there was none).

    ``experiment`` tells several runs of one model at one problem apart, ``main`` marks the one that boards show;
    ``evidence`` is what the instruction metric rests on (``dynamic_sass``, ``ptx_text``), empty for the others.
    """

    publication = models.CharField(max_length=80)
    model = models.ForeignKey(Model, on_delete=models.PROTECT, related_name="paper_cells")
    target = models.CharField(max_length=16)
    device = models.CharField(max_length=40)
    problem = models.CharField(max_length=80)
    experiment = models.CharField(max_length=200)
    main = models.BooleanField(default=False)
    metric = models.CharField(max_length=24)
    turn_limit = models.PositiveIntegerField()
    numerator = models.PositiveIntegerField(null=True, blank=True)
    denominator = models.PositiveIntegerField(null=True, blank=True)
    value = models.FloatField(null=True, blank=True)
    evidence = models.CharField(max_length=40, blank=True, default="")

    class Meta:
        constraints = (
            words("paper_target_is_a_word", "target", Target),
            words("paper_metric_is_a_word", "metric", PaperMetric),
            within("paper_value_is_finite", "value"),
            models.CheckConstraint(
                name="paper_turn_limit_counts_from_1", condition=Q(turn_limit__gte=1)
            ),
            models.CheckConstraint(
                name="paper_rate_has_both_counts",
                condition=Q(metric=PaperMetric.BEST_SPEEDUP.value, numerator__isnull=True)
                | Q(
                    ~Q(metric=PaperMetric.BEST_SPEEDUP.value),
                    numerator__isnull=False,
                    denominator__isnull=False,
                    denominator__gte=1,
                    numerator__lte=F("denominator"),
                ),
            ),
            models.UniqueConstraint(
                name="paper_value_is_kept_once",
                fields=(
                    "publication",
                    "model",
                    "target",
                    "device",
                    "problem",
                    "experiment",
                    "metric",
                    "turn_limit",
                    "evidence",
                ),
            ),
            models.UniqueConstraint(
                name="paper_has_one_main_value",
                fields=(
                    "publication",
                    "model",
                    "target",
                    "device",
                    "problem",
                    "metric",
                    "turn_limit",
                    "evidence",
                ),
                condition=Q(main=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.publication} {self.problem} {self.metric}@{self.turn_limit}"
