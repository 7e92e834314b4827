"""Which kernel a turn's author had before it, for those who may see that one too."""

from collections.abc import Sequence

from django.db.models import Q, QuerySet

from evaluation.models import Trajectory, Turn, Viewer
from evaluation.selectors.kernels import KernelPlace
from evaluation.selectors.turn_rows import turn_rows

PLACES_ASKED = 3
TURNS_BACK = 8


def kernels_before(viewer: Viewer, places: Sequence[KernelPlace]) -> dict[KernelPlace, str]:
    """The SHA-256 of the last kernel in the TURNS_BACK turns before each of the first places that has one.

    The places are those of a page that this viewer sees. What is held or waits is not told to others, here as anywhere:
    then the kernel before that one is the last. At most seven queries.
    """
    asked = places[:PLACES_ASKED]
    found = Trajectory.objects.filter(uid__in={one.trajectory for one in asked})
    uids, mine = {}, set()
    for one in found.select_related("entry"):
        uids[str(one.uid)] = one.pk
        if viewer.staff or one.entry.owner in viewer.owners:
            mine.add(one.pk)
    before = Q(pk__in=())
    for place in asked:
        numbers = Q(number__lt=place.turn, number__gte=place.turn - TURNS_BACK)
        before |= numbers & Q(trajectory=uids.get(place.trajectory))
    turns = Turn.objects.filter(before)
    kernels = _kernels(turns.filter(trajectory__in=mine), insider=True) if mine else {}
    if set(uids.values()) - mine:
        kernels |= _kernels(turns.exclude(trajectory__in=mine), insider=False)
    named = (
        (place, _last(kernels.get(uids.get(place.trajectory, 0), ()), place)) for place in asked
    )
    return {place: kernel for place, kernel in named if kernel}


def _kernels(turns: QuerySet[Turn], *, insider: bool) -> dict[int, tuple[tuple[int, str], ...]]:
    """Numbers and kernels of these turns by the trajectory's key, as this viewer may see them."""
    rows = turn_rows(turns, insider=insider)
    return {key: tuple((one.number, one.kernel) for one in some) for key, some in rows.items()}


def _last(kernels: Sequence[tuple[int, str]], place: KernelPlace) -> str:
    earlier = (kernel for number, kernel in reversed(kernels) if kernel and number < place.turn)
    return next(earlier, "")
