"""What keeps a kernel off the boards: a Hold on kernel x problem x target, until a person clears it."""

from typing import Self

from django.db import models
from django.db.models import Q

from evaluation.core.run_words import ACTING_HOLDS, HoldSource, HoldState
from evaluation.core.verdict import Target
from evaluation.models.constraints import exactly_when, words
from evaluation.models.work import Kernel

_ACTING = [str(state) for state in ACTING_HOLDS]


class HoldQuerySet(models.QuerySet["Hold"]):
    def open(self) -> Self:
        return self.filter(state=HoldState.OPEN)

    def acting(self) -> Self:
        """Holds that change what a board shows: open ones and strikes."""
        return self.filter(state__in=_ACTING)


class Hold(models.Model):
    """Open until a person clears or strikes; a strike is a hold with that state. It acts on every problem version.

    ``why`` is the reason of the hold, ``note`` that of the decision.
    """

    kernel = models.ForeignKey(Kernel, on_delete=models.PROTECT, related_name="holds")
    problem = models.CharField(max_length=80)
    target = models.CharField(max_length=16)
    placed_at = models.DateTimeField()
    placed_by = models.CharField(max_length=64, blank=True, default="")
    why = models.CharField(max_length=1000)
    source = models.CharField(max_length=16)
    state = models.CharField(max_length=16, default=HoldState.OPEN.value)
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=64, blank=True, default="")
    note = models.CharField(max_length=1000, blank=True, default="")

    objects = HoldQuerySet.as_manager()

    class Meta:
        constraints = (
            words("hold_target_is_a_word", "target", Target),
            words("hold_source_is_a_word", "source", HoldSource),
            words("hold_state_is_a_word", "state", HoldState),
            models.CheckConstraint(name="hold_says_why", condition=~Q(why="")),
            models.CheckConstraint(
                name="hold_is_open_exactly_when_undecided",
                condition=exactly_when(Q(state=HoldState.OPEN.value), Q(decided_at__isnull=True)),
            ),
            models.CheckConstraint(
                name="hold_decision_has_a_name",
                condition=exactly_when(Q(decided_by=""), Q(decided_at__isnull=True)),
            ),
            models.UniqueConstraint(
                name="hold_acts_once",
                fields=("kernel", "problem", "target"),
                condition=Q(state__in=_ACTING),
            ),
        )
        indexes = (models.Index(fields=("state", "placed_at"), name="hold_by_state"),)

    def __str__(self) -> str:
        return f"{self.state}: {self.why}"
