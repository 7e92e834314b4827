"""What a comparison can be made with: public models, entries and kernels with values, a bounded list of each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, Subquery

from evaluation.core.run_words import HoldState
from evaluation.models import Entry, Hold, Model, ModelAlias, Trajectory
from leaderboard.estimates import Unranked
from leaderboard.models import Board, Standing
from leaderboard.ranking import Provenance
from leaderboard.selectors.list_order import by_name
from leaderboard.selectors.listed_names import is_listed
from leaderboard.standing import BoardKind

MOST_MODELS = 200
MOST_ENTRIES = 50
MOST_KERNELS = 50
ENTRIES_READ = (
    1000  # of which some share a problem; to look through all takes the longer the more there are
)
ROWS_READ = 200  # of leaders, several of which may have the same kernel
LEADERS = 10  # of each board


@dataclass(frozen=True, slots=True)
class Comparable:
    """``key`` is how addresses name it, ``name`` and ``note`` are how people do."""

    key: str
    name: str
    note: str


def models_with_values() -> tuple[Comparable, ...]:
    """Listed models that stand on some board, by name; one query."""
    rows = Standing.objects.filter(model=OuterRef("pk")).exclude(
        unranked_why=Unranked.MODEL_NOT_ACCEPTED
    )
    found = Model.objects.filter(is_listed(), Exists(rows)).order_by(*by_name())
    return tuple(
        Comparable(*one) for one in found.values_list("slug", "name", "track")[:MOST_MODELS]
    )


def slug_of_name(name: str) -> str:
    """The slug of the one listed model that is called so, in whatever case; empty for none or several. One query."""
    alias = ModelAlias.objects.filter(model=OuterRef("pk"), alias=name.casefold())
    named = Model.objects.filter(is_listed()).filter(
        Q(name__iexact=name) | Q(slug__iexact=name) | Q(Exists(alias))
    )
    slugs = list(named.order_by("slug").values_list("slug", flat=True)[:2])
    return slugs[0] if len(slugs) == 1 else ""


def entries_beside(uids: Sequence[UUID], *, at: datetime) -> tuple[Comparable, ...]:
    """Public entries of accepted models that share the model or a problem with one of these; one query.

    Those of the same model come first, then the newest; those that share a problem alone are among the ENTRIES_READ
    that were stored last. Who asks has to be somebody who may see ``uids``.
    """
    models = Entry.objects.filter(uid__in=uids, model__isnull=False).order_by().values("model")
    problems = Trajectory.objects.filter(entry__uid__in=uids).order_by().values("problem")
    there = Trajectory.objects.filter(entry=OuterRef("pk"), problem__in=Subquery(problems))
    offered = (
        Entry.objects.public(at=at)
        .filter(model__accepted_at__isnull=False)
        .exclude(uid__in=uids)
        .order_by("-created_at", "-pk")
    )
    same_model = offered.filter(model__in=Subquery(models)).values("pk")[:MOST_ENTRIES]
    stored_last = offered.order_by("-pk").values("pk")[:ENTRIES_READ]
    # A database that is asked for either of two sets looks at every entry, and for their union at none beside them.
    either = (
        Entry.objects.filter(pk__in=Subquery(same_model))
        .values("pk")
        .union(Entry.objects.filter(Exists(there), pk__in=Subquery(stored_last)).values("pk"))
    )
    found = (
        Entry.objects.filter(pk__in=either)
        .annotate(same_model=Exists(models.filter(model=OuterRef("model"))))
        .order_by("-same_model", "-created_at", "-pk")
    )
    rows = found.values_list("uid", "model__name", "harness", "pack", "reasoning_effort")
    return tuple(
        Comparable(str(uid), name, " ".join(one for one in words if one))
        for uid, name, *words in rows[:MOST_ENTRIES]
    )


def kernels_beside(problems: Collection[str], *, at: datetime) -> tuple[Comparable, ...]:
    """Kernels that lead verified speed boards of these problems, each once, by problem, device and place; one query.

    Boards are read as they were written: what was held, withdrawn or hidden since is left out here.
    """
    held = Hold.objects.filter(
        kernel__sha256=OuterRef("best_kernel"),
        problem=OuterRef("board__problem"),
        target=OuterRef("board__target"),
    ).exclude(state=HoldState.CLEARED)
    deepest = (
        Standing.objects.filter(board=OuterRef("board"), provenance=Provenance.VERIFIED)
        .order_by("-turn_limit")
        .values("turn_limit")[:1]
    )
    boards = Board.objects.filter(kind=BoardKind.SPEED, problem__in=sorted(problems))
    found = (
        Standing.objects.filter(
            ~Exists(held),
            board__in=boards.order_by().values("pk"),
            provenance=Provenance.VERIFIED,
            turn_limit=Subquery(deepest),
            position__lte=LEADERS,
            entry__in=Entry.objects.public(at=at).order_by().values("pk"),
        )
        .exclude(unranked_why=Unranked.MODEL_NOT_ACCEPTED)
        .exclude(best_kernel="")
        .order_by("board__problem", "board__device", F("value").desc(nulls_last=True), "pk")
    )
    rows = found.values_list("best_kernel", "model__name", "board__problem", "board__device")
    first: dict[str, Comparable] = {}
    for kernel, model, problem, device in rows[:ROWS_READ]:
        first.setdefault(kernel, Comparable(kernel, model, f"{problem}, {device.upper()}"))
    return tuple(first.values())[:MOST_KERNELS]
