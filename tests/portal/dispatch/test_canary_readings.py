"""What workers say of known kernels is kept: bounded, once, and shown to staff and to who looks at the status."""

from dataclasses import replace
from datetime import timedelta
from io import StringIO

import evaluation_rows as rows
import pytest
from dispatch_doubles import AT, Site, later
from django.core.management import call_command

from evaluation.core.messages import CanaryReported, CanaryRun, Versions
from evaluation.models import ANYONE, CanaryReading, Viewer, Worker
from evaluation.selectors.canaries import CanaryRow, canary_rows
from evaluation.services.canaries import MOST_RUNS, READINGS_KEPT
from portal.dispatch.overview import canary_lines
from portal.reports import Word

pytestmark = pytest.mark.django_db

STAFF = Viewer(frozenset(), staff=True)
WELL = CanaryRun("gemm_wgmma_tma", True, "", 0.992, 0.96, 1.025, 1830, 3201, 41, 512_000)  # noqa: FBT003
SLOW = replace(
    WELL, well=False, said="a ratio of 0.812 is not within 0.960 to 1.025", ratio=0.812, sm_mhz=1185
)


def told(*runs: CanaryRun, worker: str = "m@1", device: str = "h200") -> CanaryReported:
    return CanaryReported(Versions(), worker, device, runs)


def test_ratio_clocks_and_temperature_of_a_known_kernel_are_kept_with_its_worker() -> None:
    site = Site()
    assert site.hear(told(WELL)).word is Word.NOTED
    kept = CanaryReading.objects.get()
    assert (kept.worker.name, kept.worker.device) == ("m@1", "h200")
    assert (kept.kernel, kept.heard_at, kept.said) == ("gemm_wgmma_tma", AT, "")
    assert (kept.ratio, kept.low, kept.high) == (0.992, 0.96, 1.025)
    assert (kept.sm_mhz, kept.memory_mhz, kept.temperature_c) == (1830, 3201, 41)
    assert kept.power_mw == 512_000


def test_a_report_that_comes_twice_is_one_reading_and_the_next_one_another() -> None:
    site = Site()
    site.hear(told(WELL))
    site.wait(20)
    site.hear(told(WELL))
    assert CanaryReading.objects.count() == 1
    site.wait(300)
    site.hear(told(WELL))
    assert CanaryReading.objects.count() == 2


def test_the_newest_readings_of_a_worker_are_kept_and_no_others() -> None:
    site = Site()
    for number in range(READINGS_KEPT + 3):
        site.hear(told(replace(WELL, power_mw=number)))
        site.wait(1)
    kept = CanaryReading.objects.order_by("heard_at").values_list("power_mw", flat=True)
    assert list(kept) == list(range(3, READINGS_KEPT + 3))


def test_a_report_of_very_many_known_kernels_is_cut() -> None:
    many = [replace(WELL, name=f"k{number}") for number in range(MOST_RUNS + 5)]
    Site().hear(told(*many))
    assert CanaryReading.objects.count() == MOST_RUNS


def test_figures_that_no_gpu_has_are_kept_within_what_a_row_holds() -> None:
    odd = replace(WELL, ratio=-1.0, sm_mhz=10**30, memory_mhz=-5, name="n\x00" * 90)
    Site().hear(told(odd))
    kept = CanaryReading.objects.get()
    assert (kept.ratio, kept.sm_mhz, kept.memory_mhz) == (0.0, 2**31 - 1, 0)
    assert kept.kernel == "n\ufffd" * 39 + "n…"


def test_a_kernel_that_is_not_well_without_a_word_is_not_taken_for_well() -> None:
    Site().hear(told(replace(WELL, well=False)))
    assert CanaryReading.objects.get().said == "was not well"


def test_readings_go_with_their_worker() -> None:
    Site().hear(told(WELL))
    Worker.objects.all().delete()
    assert not CanaryReading.objects.exists()


def test_a_device_without_a_proper_name_leaves_no_reading() -> None:
    assert Site().hear(told(WELL, device="../x")).word is Word.REFUSED
    assert not CanaryReading.objects.exists()


def test_the_newest_reading_of_each_worker_and_kernel_is_shown_and_names_to_staff_alone() -> None:
    site = Site()
    site.hear(told(WELL, replace(WELL, name="gemm_mma_sync", ratio=0.465, low=0.445, high=0.486)))
    site.wait(300)
    site.hear(told(SLOW))
    newest = CanaryRow(
        worker="m@1",
        product="h200",
        kernel="gemm_wgmma_tma",
        heard_at=later(300),
        said=SLOW.said,
        ratio=0.812,
        band=(0.96, 1.025),
        sm_mhz=1185,
        memory_mhz=3201,
        temperature_c=41,
    )
    first, second = canary_rows(STAFF, at=later(400))
    assert first == newest
    assert (second.kernel, second.ratio) == ("gemm_mma_sync", 0.465)
    assert canary_rows(ANYONE, at=later(400))[0] == replace(newest, worker="")


def test_what_was_never_sampled_or_has_no_band_is_nothing_and_not_zero() -> None:
    rows.canary_reading(ratio=None, low=0, high=0, sm_mhz=0, memory_mhz=0, temperature_c=0)
    (shown,) = canary_rows(ANYONE, at=later(5))
    assert (shown.ratio, shown.band) == (None, None)
    assert (shown.sm_mhz, shown.memory_mhz, shown.temperature_c) == (None, None, None)


def test_a_reading_of_last_week_is_shown_no_more() -> None:
    rows.canary_reading()
    assert len(canary_rows(ANYONE, at=AT + timedelta(days=6))) == 1
    assert canary_rows(ANYONE, at=AT + timedelta(days=8)) == ()


def test_staff_see_the_readings_below_the_workers_on_the_command_line() -> None:
    site = Site()
    site.hear(told(SLOW))
    head, line = canary_lines(at=later(40))
    assert head == (
        "worker                                    known kernel         heard   ratio         band  SM/memory  degC"
    )
    assert line == (
        "m@1                                       gemm_wgmma_tma         40s   0.812  0.960-1.025  1185/3201    41"
        "  a ratio of 0.812 is not within 0.960 to 1.025"
    )
    out = StringIO()
    call_command("worker", "show", stdout=out)
    assert out.getvalue().splitlines()[0].startswith("worker")
    assert "m@1" in out.getvalue()


def test_without_a_reading_nothing_is_said_of_known_kernels() -> None:
    assert list(canary_lines(at=AT)) == []
