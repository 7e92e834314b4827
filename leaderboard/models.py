"""Rows that board pages read: Board, Standing, RecordEvent. All of them can be made again from evaluation's rows."""

from django.db import models
from django.db.models import F, Q

from evaluation.core.verdict import Language, Target
from evaluation.models import Entry, Model
from evaluation.models.constraints import exactly_when, together, within, words
from leaderboard.estimates import Unranked
from leaderboard.ranking import Provenance
from leaderboard.standing import BoardKind

_KEY = ("kind", "target", "device", "problem", "suite", "problem_version", "language", "judge")


class Tickets(models.Model):
    """One row, which every writer of standings locks; ``number`` rises with every ticket and every change.

    ``boards_gone`` is the number of the latest change that took a board away, which no board can tell any more.
    Embargoes that ended by ``embargoes_until`` have been put into effect.
    """

    number = models.BigIntegerField(default=0)
    boards_gone = models.BigIntegerField(default=0)
    embargoes_until = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.number)


class Projected(models.Model):
    """The ticket of the latest reading whose result was written for this subject; what was read before is dropped."""

    subject = models.CharField(max_length=40, unique=True)
    ticket = models.BigIntegerField()

    def __str__(self) -> str:
        return self.subject


class Board(models.Model):
    """One question at one problem version (or suite), judge series and language; see leaderboard.standing.BoardKey.

    ``revision`` is another, larger number after every change of what the board shows, also after it was empty.
    """

    kind = models.CharField(max_length=16)
    target = models.CharField(max_length=16)
    device = models.CharField(max_length=40, blank=True, default="")
    problem = models.CharField(max_length=80, blank=True, default="")
    suite = models.CharField(max_length=40, blank=True, default="")
    problem_version = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=16)
    judge = models.CharField(max_length=20, blank=True, default="")
    slug = models.CharField(max_length=240, unique=True)
    revision = models.BigIntegerField(default=0)

    class Meta:
        constraints = (
            words("board_kind_is_a_word", "kind", BoardKind),
            words("board_target_is_a_word", "target", Target),
            words("board_language_is_a_word", "language", Language),
            models.UniqueConstraint(name="board_is_there_once", fields=_KEY),
            models.CheckConstraint(
                name="board_has_a_device_exactly_when_of_speed",
                condition=exactly_when(Q(kind=BoardKind.SPEED.value), ~Q(device="")),
            ),
            models.CheckConstraint(
                name="board_has_a_problem_or_a_suite",
                condition=exactly_when(Q(problem=""), ~Q(suite="")),
            ),
        )

    def __str__(self) -> str:
        return self.slug


class Standing(models.Model):
    """One row of a board at one turn limit; see leaderboard.standing.Row for the columns.

    ``position`` orders the rows of one turn limit and provenance from 1; the rank is a range, and absent exactly where
    ``unranked_why`` says why.
    """

    # Two indexes below begin with the board; one more of it alone would be written with every move of a row.
    board = models.ForeignKey(
        Board, on_delete=models.CASCADE, related_name="standings", db_index=False
    )
    subject = models.CharField(max_length=240)
    turn_limit = models.PositiveIntegerField()
    provenance = models.CharField(max_length=16)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, null=True, related_name="standings")
    model = models.ForeignKey(Model, on_delete=models.CASCADE, null=True, related_name="standings")
    publication = models.CharField(max_length=80, blank=True, default="")
    reported_device = models.CharField(max_length=40, blank=True, default="")
    devices = models.CharField(max_length=400, blank=True, default="")
    value = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    unranked_why = models.CharField(max_length=32, blank=True, default="")
    hits = models.PositiveIntegerField(null=True)
    counted = models.PositiveIntegerField(default=0)
    declared = models.PositiveIntegerField(default=0)
    open = models.PositiveIntegerField(default=0)
    rates = models.TextField(default="[]")
    ratios = models.TextField(default="[]")
    beside = models.TextField(default="{}")
    median_ratio = models.FloatField(null=True)
    best_run = models.CharField(max_length=36, blank=True, default="")
    best_kernel = models.CharField(max_length=64, blank=True, default="")
    best_trajectory = models.CharField(max_length=36, blank=True, default="")
    best_turn = models.PositiveIntegerField(null=True)
    candidate_ns = models.BigIntegerField(null=True)
    vendor_ns = models.BigIntegerField(null=True)
    advances = models.TextField(default="[]")
    position = models.PositiveIntegerField()
    rank_low = models.PositiveIntegerField(null=True)
    rank_high = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (
            words("standing_provenance_is_a_word", "provenance", Provenance),
            words("standing_reason_is_a_word", "unranked_why", Unranked, or_empty=True),
            models.UniqueConstraint(
                name="standing_is_one_row_a_subject",
                fields=("board", "subject", "turn_limit", "provenance"),
            ),
            models.CheckConstraint(
                name="standing_counts_from_1", condition=Q(turn_limit__gte=1, position__gte=1)
            ),
            together("standing_rank_has_two_ends", "rank_low", "rank_high"),
            together("standing_interval_has_two_ends", "low", "high"),
            models.CheckConstraint(
                name="standing_has_a_rank_or_says_why_not",
                condition=exactly_when(Q(unranked_why=""), Q(rank_low__isnull=False)),
            ),
            models.CheckConstraint(
                name="standing_ranked_is_verified_and_known",
                condition=~Q(unranked_why="")
                | Q(
                    provenance=Provenance.VERIFIED.value,
                    value__isnull=False,
                    low__isnull=False,
                    low__lte=F("value"),
                    high__gte=F("value"),
                    rank_low__gte=1,
                    rank_low__lte=F("rank_high"),
                    model__isnull=False,
                ),
            ),
            models.CheckConstraint(
                name="standing_of_an_upload_names_its_entry",
                condition=exactly_when(Q(provenance=Provenance.PAPER.value), Q(entry__isnull=True)),
            ),
            models.CheckConstraint(
                name="standing_counts_fit",
                condition=Q(counted__lte=F("declared"), open__lte=F("counted"))
                & (Q(hits__isnull=True) | Q(hits__lte=F("counted"))),
            ),
            within("standing_numbers_are_finite", "value", "low", "high", "median_ratio"),
        )
        indexes = (
            # A first row, a page of rows and the turn limits that there are come from it, whatever the board’s length.
            models.Index(
                fields=("board", "provenance", "-turn_limit", "position", "unranked_why"),
                name="standing_in_order",
            ),
        )

    def __str__(self) -> str:
        return f"{self.subject}@{self.turn_limit}"


class RecordEvent(models.Model):
    """A verified ratio that beat everything on its speed board before it; ``before`` is what it beat.

    The events follow from what stands on the board now: a kernel that was struck since never held a record.
    """

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="records")
    at = models.DateTimeField()
    subject = models.CharField(max_length=240)
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    run = models.CharField(max_length=36)
    kernel = models.CharField(max_length=64)
    ratio = models.FloatField()
    ratio_low = models.FloatField()
    ratio_high = models.FloatField()
    before = models.FloatField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(name="record_is_set_once", fields=("board", "ratio")),
            models.CheckConstraint(
                name="record_beats_what_was_before",
                condition=Q(before__isnull=True) | Q(ratio__gt=F("before")),
            ),
        )
        indexes = (models.Index(fields=("-at",), name="record_by_time"),)

    def __str__(self) -> str:
        return f"{self.ratio:.3f} at {self.at:%Y-%m-%d}"
