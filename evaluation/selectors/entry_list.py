"""Which trajectories of an entry stand on one page of its list: as many as have few enough turns together."""

from dataclasses import dataclass

from django.db.models import Count

from evaluation.core.verdict import Target
from evaluation.models import Entry, Trajectory, Turn

TRAJECTORIES_SHOWN = 50
TURNS_SHOWN = 160  # of all trajectories of a page, and of one that has more


@dataclass(frozen=True, slots=True)
class EntryPart:
    """The ``count`` trajectories at one problem and target; ``first`` is the place of the first in the list, from 0."""

    problem: str
    target: Target
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A trajectory with how many turns were taken in it."""

    trajectory: Trajectory
    taken: int


def listed(entry: Entry, *, first: int, most: int, turns: int | None) -> tuple[Listed, ...]:
    """Read at most ``most`` after the first ``first``, which have at most ``turns`` turns together; two queries.

    One is there however many turns it has.
    """
    order = ("problem", "target", "reported_device", "prompt", "number")
    found = list(Trajectory.objects.filter(entry=entry).order_by(*order)[first : first + most])
    of_page = Turn.objects.filter(trajectory__in=[one.pk for one in found]).order_by()
    taken = dict(
        of_page.values_list("trajectory")
        .annotate(turns=Count("pk"))
        .values_list("trajectory", "turns")
    )
    kept: list[Listed] = []
    together = 0
    for one in found:
        together += taken.get(one.pk, 0)
        if kept and turns is not None and together > turns:
            break
        kept.append(Listed(one, taken.get(one.pk, 0)))
    return tuple(kept)


def parts(entry: Entry) -> tuple[EntryPart, ...]:
    """Where each problem and target begins in the list; one query."""
    found = (
        Trajectory.objects.filter(entry=entry)
        .order_by("problem", "target")
        .values_list("problem", "target")
        .annotate(count=Count("pk"))
    )
    told: list[EntryPart] = []
    first = 0
    for problem, target, count in found:
        told.append(EntryPart(problem, Target(target), first, count))
        first += count
    return tuple(told)
