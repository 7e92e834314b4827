"""The page of a problem: its floor and its vendor's call on each device, how it is called, leaders by target."""

import re
from dataclasses import replace

import judged_rows as rows
import pytest
from django.conf import settings
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import strictly, text_of
from pytest_django import DjangoAssertNumQueries

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Baseline, Distribution, Input
from evaluation.models import PaperCell
from leaderboard.projection import rebuild
from leaderboard.views.baseline_code import baseline_code
from leaderboard.views.problem_devices import DeviceLine, Floor, device_lines, unmeasured
from leaderboard.views.problem_views import signature

SMALL = "gemm_n28672_k4096"


def page_of(client: Client, name: str = GEMM) -> str:
    answer = client.get(f"/problems/{name}/")
    assert answer.status_code == 200
    page = answer.content.decode()
    strictly(page)
    return page


def row_of(page: str, name: str) -> str:
    found = re.search(rf"<tr>(?:(?!</tr>).)*{re.escape(name)}.*?</tr>", page, re.DOTALL)
    assert found is not None, name
    return text_of(found[0])


@pytest.mark.django_db
def test_the_floor_stands_with_its_time_what_bounds_it_and_the_ratio_that_it_allows(
    client: Client,
) -> None:
    # 0.97 * 7/8 * 601,295,421,440 FLOP / 957 TFLOP/s = 533.281 us; the vendor's 752 us over it is 1.4101
    row = row_of(page_of(client), ">H200</a></th><td")
    assert row.startswith("H200 752.0 µs 533.3 µs the matrix units at 957 TFLOP/s 1.410×")
    assert "measured 2026-11-30, driver 580.159.04" in row
    assert row_of(page_of(client), ">H100-NVL</a></th><td") == "H100-NVL – – not measured yet – –"


@pytest.mark.django_db
def test_what_nobody_measured_yet_says_what_would_fill_it(client: Client) -> None:
    # The H200 lacks nothing at this problem, and the vendor's time at the other.
    others = "B200, H100-NVL, H100-PCIE, H100-SXM"
    for name, devices in ((GEMM, others), (SMALL, f"{others}, H200")):
        said = text_of(page_of(client, name))
        assert f"What is not measured on {devices} yet stands here once somebody has run" in said
        assert "A kernel may be handed in before" in said


def test_a_device_lacks_nothing_where_its_floor_and_the_vendors_time_are_known() -> None:
    whole = DeviceLine("one", 5, Floor(4, "reading", 1.25), "measured")
    parts = [
        replace(whole, product="two", floor=None),
        replace(whole, product="six", vendor_ns=None),
    ]
    assert unmeasured([whole, *parts]) == ("two", "six")
    assert unmeasured([whole]) == ()


def test_the_floor_of_a_problem_with_little_work_is_reading() -> None:
    # 0.97 * 235,454,464 bytes / 4.619 TB/s = 49.4459 us; nobody measured the vendor there
    lines = device_lines(packaged().problem(SMALL), packaged().devices())
    found = next(one for one in lines if one.product == "h200")
    assert found.vendor_ns is None
    assert found.floor is not None
    assert found.floor.floor_ns == 49_445
    assert found.floor.bound == "reading the inputs at 4,619 GB/s"
    assert found.floor.ratio is None


def test_the_function_that_a_kernel_exports_is_written_in_full() -> None:
    gemm = packaged().problem(GEMM)
    assert signature(gemm) == (
        "void run(tvm::ffi::TensorView A, tvm::ffi::TensorView B, tvm::ffi::TensorView C)"
    )
    scale = Input("scale", DType.FLOAT32, None, Distribution.FIXED, 1)
    steps = Input("steps", DType.INT32, None, Distribution.FIXED, 8)
    assert signature(replace(gemm, inputs=(scale, steps))) == (
        "void run(double scale, int64_t steps, tvm::ffi::TensorView C)"
    )


@pytest.mark.parametrize(
    ("baseline", "first", "said"),
    [
        (Baseline.CUBLAS_MATMUL, "@dataclass(slots=True)\nclass Matmul:", "torch.mm(a, b.t()"),
        (
            Baseline.CUDNN_SDPA_FORWARD,
            "@dataclass(frozen=True, slots=True)\nclass Forward:",
            "_scaled_dot_product_cudnn_attention(",
        ),
        (
            Baseline.CUDNN_SDPA_BACKWARD,
            "@dataclass(slots=True)\nclass Backward:",
            "_scaled_dot_product_cudnn_attention_backward(",
        ),
    ],
)
def test_the_code_of_a_baseline_is_that_which_the_judge_runs(
    baseline: Baseline, first: str, said: str
) -> None:
    code = baseline_code(baseline, settings.REPOSITORY)
    assert code.startswith(first)
    assert said in code
    assert "vendor_of" not in code


@pytest.mark.django_db
def test_the_code_of_the_vendors_call_stands_on_the_page(client: Client) -> None:
    page = page_of(client)
    assert "torch.mm(a, b.t(), out=self.out)" in page
    assert "evaluation/adapters/referee/vendor.py" in page


@pytest.mark.django_db
def test_leaders_of_two_targets_stand_in_tables_of_their_own(client: Client) -> None:
    rows.judged(["p---"] * 5, model=rows.model(name="Quartz"))
    printed = rows.model(name="Printed")
    for target, device, hits in (("hopper", "h100", 91), ("blackwell", "b200", 17)):
        PaperCell.objects.create(
            publication="PTXBench paper",
            model=printed,
            target=target,
            device=device,
            problem=GEMM,
            experiment="main",
            main=True,
            turn_limit=8,
            metric="correct_at",
            numerator=hits,
            denominator=96,
        )
    rebuild(at=AT)
    said = text_of(page_of(client))
    ours, hopper, blackwell = said[said.index("Who leads") :].split("the first of each board")
    assert "Quartz" in ours
    assert ours.rstrip().endswith("Hopper:")
    assert "94.8 %" in hopper
    assert hopper.rstrip().endswith("Blackwell:")
    assert "17.7 %" in blackwell
    assert "94.8 %" not in blackwell


@pytest.mark.django_db
def test_every_board_of_the_problem_has_its_first_rows_there(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(7):
        rows.judged(["pf--"] * 5, model=rows.model(name=f"Quartz {number}"), ratio=1 + number / 10)
    rows.judged(["p---"] * 5, proposed_model="Onyx", ratio=9.0)
    rows.judged(["p---"] * 5, model=rows.model(name="Topaz"), ratio=8.0, visibility="private")
    rows.judged(["h---"] * 5, model=rows.model(name="Zircon"), ratio=7.0)
    rows.judged(["p-"] * 5, "mha_bwd_d128", model=rows.model(name="Beryl"))
    rebuild(at=AT)
    with django_assert_max_num_queries(8):
        page = page_of(client)
    boards = page[page.index("Who leads") :]
    names = re.findall(r'<h3><a href="([^"]*)">([^<]*)</a></h3>', boards)
    assert names == [
        (f"/boards/correctness/hopper/?problem={GEMM}&amp;T=4", "Correctness, Hopper"),
        (f"/boards/instruction/hopper/?problem={GEMM}&amp;T=4", "Instruction, Hopper"),
        (f"/boards/speed/h200/?problem={GEMM}&amp;T=4", "Speed, H200"),
    ]
    speed = boards[boards.index(">Speed, H200<") :]
    assert re.findall(r"<bdi>(Quartz \d)</bdi>", speed) == [
        f"Quartz {one}" for one in (6, 5, 4, 3, 2)
    ]
    said = text_of(speed)
    assert (
        "First 4 turns, CUDA, verified by us, judge 1, problem version 1; the first 5 of 8 rows"
        in said
    )
    assert "1.600×" in said
    for hidden in ("Onyx", "Topaz", "Beryl", "9.000×", "8.000×", "7.000×"):
        assert hidden not in boards
