"""What follows for judging and boards when an entry is withdrawn."""

from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import Exists, OuterRef

from evaluation.models import Entry, Run, Turn
from evaluation.services import cancel
from leaderboard.projection import refresh
from portal.dispatch.waking import wake_dispatch

WITHDRAWN_EARLY = "Its owner withdrew it while it was imported."


def take_off(entry: Entry, *, at: datetime) -> None:
    """End what is still judged for this entry alone, and take it off the boards once it is committed.

    A kernel that another entry of its owner has is judged on.
    """
    kernels = Turn.objects.filter(trajectory__entry=entry, kernel__isnull=False)
    elsewhere = Turn.objects.filter(
        kernel=OuterRef("kernel"),
        trajectory__entry__owner=entry.owner,
        trajectory__entry__withdrawn_at=None,
    )
    pending = Run.objects.pending().filter(
        ~Exists(elsewhere), owner=entry.owner, kernel__in=kernels.values("kernel")
    )
    for run in list(pending):
        cancel(run, at=at)
    wake_dispatch()
    # A robust one: what fails here is found by the sweep, and the withdrawal stands.
    transaction.on_commit(partial(refresh, [entry.pk], at=at), robust=True)
