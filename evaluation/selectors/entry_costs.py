"""What judging an entry took of GPUs."""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, Sum

from evaluation.models import Entry, Hold, Run, Turn, Viewer


def gpu_seconds(viewer: Viewer, uid: UUID) -> float:
    """Sum over the runs that count for its turns, each once; one query.

    Whoever asks, it has nothing of kernels that are held or struck: a sum that grew with a turn that seems to wait
    would tell of a hold. It is 0 for an entry that this viewer does not see.
    """
    turns = Turn.objects.filter(
        trajectory__entry__uid=uid,
        trajectory__entry__in=Entry.objects.visible_to(viewer).order_by().values("pk"),
        missing="",
    )
    place = {
        "kernel": OuterRef("kernel"),
        "trajectory__problem": OuterRef("problem"),
        "trajectory__problem_version": OuterRef("problem_version"),
        "trajectory__target": OuterRef("target"),
    }
    hold = {name: OuterRef(name) for name in ("kernel", "problem", "target")}
    owner = Entry.objects.filter(uid=uid).values("owner")
    runs = Run.objects.counting().filter(
        Q(shared=True) | Q(owner__in=owner),
        Exists(turns.filter(**place)),
        ~Exists(Hold.objects.acting().filter(**hold)),
        kernel__in=turns.order_by().values("kernel"),
    )
    return runs.order_by().aggregate(seconds=Sum("gpu_seconds"))["seconds"] or 0.0
