"""Whatever is lost, doubled, late or dead: every run ends, once, with the verdict that its kernel deserves."""

import pytest
from dispatch_world import World
from django.db.models import Count, Q

from evaluation.models import Attempt, Run
from evaluation.services import cancel

pytestmark = pytest.mark.django_db

STEPS = 250
_LIVE = Q(attempts__state__in=["sent", "started"])


def ended() -> dict[int, tuple[object, ...]]:
    """Every column of the runs that ended, but for what boards note."""
    columns = [field.attname for field in Run._meta.fields if field.name != "boards_due_at"]
    rows = Run.objects.exclude(finished_at=None).values_list(*columns)
    return {row[0]: row for row in rows}


def check(world: World) -> None:
    live = dict(
        Run.objects.annotate(live=Count("attempts", filter=_LIVE)).values_list("pk", "live")
    )
    for run in Run.objects.select_related("kernel"):
        under_way = run.state in {"preparing", "measuring"}
        assert live[run.pk] == int(under_way), run.state
        if (
            run.verdict == "runtime_error"
        ):  # rule T6, and no kernel of this world deserves it otherwise
            assert world.deaths[run.kernel.sha256] >= 2
        elif run.verdict:
            assert run.verdict == world.truth[run.kernel.sha256]
        if run.state == "abandoned":
            assert run.failures == 3
        assert run.failures <= 3


@pytest.mark.parametrize("seed", range(10))
def test_every_run_ends_once_and_rightly(seed: int) -> None:
    world = World(seed, runs=6)
    before: dict[int, tuple[object, ...]] = {}
    for _ in range(STEPS):
        world.happen()
        check(world)
        now = ended()
        assert {key: now.get(key) for key in before} == before
        before = now
    world.settle()
    check(world)
    after = ended()
    assert {key: after.get(key) for key in before} == before
    assert not Run.objects.pending().exists()
    assert not Attempt.objects.live().exists()
    states = set(Run.objects.values_list("state", flat=True))
    assert states <= {"finished", "abandoned", "cancelled"}


def test_the_simulation_meets_what_it_is_for() -> None:
    """Attempts and runs end in every way that there is, and kernels are lost with their GPU."""
    for seed in range(6):
        world = World(seed, runs=15)
        for _ in range(500):
            world.happen()
        for run in Run.objects.pending():
            cancel(run, at=world.site.at)
    assert set(Attempt.objects.values_list("state", flat=True)) == {
        "lapsed",
        "handed_back",
        "failed",
        "done",
        "dropped",
    }
    verdicts = set(Run.objects.values_list("verdict", flat=True))
    assert verdicts - {"runtime_error"} == {"", *world.truth.values()}
    assert Run.objects.filter(losses__gt=0).exists()


def test_where_machines_go_down_all_the_time_only_what_ran_on_two_of_them_is_blamed() -> None:
    world = World(seed=4, runs=15)
    spared = {world.cancel_one, world.fail, world.hand_back, world.broker_forgets}
    kept = tuple(one for one in world.events if one[1] not in spared)
    world.events = (*kept, (15, world.die_measuring))
    for _ in range(900):
        world.happen()
        check(world)
    world.settle()
    check(world)
    assert not Run.objects.pending().exists()
    assert Run.objects.filter(verdict="runtime_error").exists()
    assert Attempt.objects.filter(state="lapsed", noted_at__isnull=False, lost=False).exists()
