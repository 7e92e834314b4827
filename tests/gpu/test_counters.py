"""Hardware counters of golden kernels on a Hopper GPU, against numbers worked out by hand; the cost is printed.

GEMM 8192 x 7168 x 5120 needs 300,647,710,720 products, two operations each.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from evaluation.adapters.gpu.cupti_library import CuptiPlace, find_cupti
from evaluation.core.errors import ToolMissing
from evaluation.core.measure.seen import ProbeSeen, Reading
from evaluation.core.probe.finding import Clock, Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.verdict import FamilyExecuted, Target

from .packed import Pack

pytestmark = pytest.mark.gpu

REPOSITORY = Path(__file__).parents[2]
SECONDS = 120
HGMMA = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum"
GMMA = "sm__inst_executed_pipe_tensor_op_gmma.sum"
HALF = "sm__inst_executed_pipe_tensor_op_hmma.sum"
HFMA2 = "sm__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum"
FMA = "sm__thread_inst_executed_pipe_fma_pred_on.sum"
LOADED = "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum"
GEMM_PRODUCTS = 300_647_710_720
ATTENTION_PRODUCTS = 824_633_720_832  # 2 * 192 * 4096^2 * 128


def say(*words: object) -> None:
    print(*words)  # noqa: T201 - the cost is for whoever runs this with -s


@dataclass(frozen=True)
class Counted:
    passes: int
    readings: tuple[Mapping[str, int], ...]
    raw: Mapping[str, object]

    @property
    def seen(self) -> ProbeSeen:
        return ProbeSeen(
            tuple(
                Reading(0, self.passes * (place + 1), tuple(one.items()))
                for place, one in enumerate(self.readings)
            )
        )

    def nanoseconds(self, name: str) -> float:
        values = self.raw[name]
        assert isinstance(values, list)
        return float(statistics.median(values))


@pytest.fixture(scope="session")
def cupti() -> CuptiPlace:
    try:
        return find_cupti()
    except ToolMissing as missing:
        pytest.skip(f"{missing}; {missing.action}")


@pytest.fixture(scope="session")
def library(
    gpu: int, pack: Pack, cupti: CuptiPlace, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The pack's own, or one compiled here with the toolkit's headers."""
    if pack.counters.exists():
        return pack.counters
    path = tmp_path_factory.mktemp("counters") / "counters.so"
    sources = sorted((REPOSITORY / "evaluation/native/counters").glob("*.cpp"))
    includes = (f"-isystem{cupti.include}", "-isystem/usr/local/cuda/include")
    built = subprocess.run(
        ["g++", "-std=c++17", "-O2", "-shared", "-fPIC", *includes, "-o", path, *sources],
        check=False,
        timeout=SECONDS,
    )
    if built.returncode:
        pytest.skip("the pack has no counters.so, and none can be compiled here")
    return path


@cache
def counted(
    pack: Pack, case: str, library: Path, cupti: Path, *, stay_on: bool = False, rows: bool = False
) -> Counted:
    """Run a child that counts: a context of its own, and no state of CUPTI left in this process."""
    arguments = [str(pack.root), case, "--counters", str(library), str(cupti)]
    ended = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.gpu.replayed",
            *arguments,
            *(["--stay-on"] * stay_on),
            *(["--rows"] * rows),
        ],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    raw = json.loads(ended.stdout)
    way = "in rows" if rows else "stays on" if stay_on else "off between"
    say(case, way, json.dumps(raw["milliseconds"]))
    say(case, json.dumps(raw["readings"][0]))
    return Counted(raw["passes"], tuple(raw["readings"]), raw)


@pytest.fixture
def wgmma(pack: Pack, library: Path, cupti: CuptiPlace) -> Counted:
    return counted(pack, "gemm_wgmma_tma", library, cupti.library)


def test_a_wgmma_gemm_makes_exactly_its_products_by_hgmma(wgmma: Counted) -> None:
    for reading in wgmma.readings:
        assert reading[HGMMA] == 2 * GEMM_PRODUCTS
        # the other counter holds HGMMA and HFMA2.MMA too, and nothing is left for mma.sync
        assert reading[HALF] - reading[HFMA2] == reading[GMMA] > 0
        assert reading[LOADED] >= 157_286_400


def test_the_passes_are_those_of_the_table(wgmma: Counted) -> None:
    assert wgmma.passes == 3
    assert len(wgmma.readings) == 2


def test_a_wgmma_gemm_is_judged_executed_and_covered(wgmma: Counted, pack: Pack) -> None:
    problem = pack.prepared("gemm_wgmma_tma").problem
    report = judge_probe(
        wgmma.seen, problem, Target.HOPPER, Static(FamilyExecuted.UNKNOWN), Clock()
    )
    facts = {one.name: one.value for one in report.facts}
    say(report.headline)
    assert facts["family"] == "yes"
    assert facts["executed_share"] == "1.0000"
    assert float(facts["coverage"]) >= 0.96
    assert report.signals == ()


def test_an_mma_sync_gemm_makes_its_products_by_hmma_and_none_by_hgmma(
    pack: Pack, library: Path, cupti: CuptiPlace
) -> None:
    for reading in counted(pack, "gemm_mma_sync", library, cupti.library).readings:
        assert reading[HGMMA] == reading[GMMA] == 0
        assert (reading[HALF] - reading[HFMA2]) * 2048 == GEMM_PRODUCTS


@pytest.mark.timeout(240)
def test_a_naive_gemm_makes_its_products_on_the_fma_pipe(
    pack: Pack, library: Path, cupti: CuptiPlace
) -> None:
    for reading in counted(pack, "gemm_naive", library, cupti.library).readings:
        assert reading[HGMMA] == reading[GMMA] == reading[HALF] - reading[HFMA2] == 0
        assert reading[FMA] >= GEMM_PRODUCTS


def test_wgmma_attention_keeps_its_matrix_path_beside_the_softmax(
    pack: Pack, library: Path, cupti: CuptiPlace
) -> None:
    one = counted(pack, "mha_fwd_wgmma", library, cupti.library)
    assert one.readings[0][HGMMA] >= 2 * ATTENTION_PRODUCTS
    problem = pack.prepared("mha_fwd_wgmma").problem
    report = judge_probe(one.seen, problem, Target.HOPPER, Static(FamilyExecuted.UNKNOWN), Clock())
    facts = {fact.name: fact.value for fact in report.facts}
    say(report.headline, facts)
    assert float(facts["coverage"]) >= 0.9


def test_the_profiler_leaves_ordinary_calls_as_fast_as_before(wgmma: Counted) -> None:
    before = wgmma.nanoseconds("plain_ns")
    say(
        {
            name: wgmma.nanoseconds(name)
            for name in ("plain_ns", "between_ns", "after_ns", "counted_ns")
        }
    )
    assert wgmma.nanoseconds("between_ns") <= 1.05 * before
    assert wgmma.nanoseconds("after_ns") <= 1.05 * before


def test_staying_on_between_passes_counts_the_same(
    wgmma: Counted, pack: Pack, library: Path, cupti: CuptiPlace
) -> None:
    on = counted(pack, "gemm_wgmma_tma", library, cupti.library, stay_on=True)
    assert on.readings[0][HGMMA] == wgmma.readings[0][HGMMA]
    say({"between_ns": on.nanoseconds("between_ns"), "plain_ns": on.nanoseconds("plain_ns")})


def test_passes_in_a_row_count_the_same_and_leave_ordinary_calls_as_fast(
    wgmma: Counted, pack: Pack, library: Path, cupti: CuptiPlace
) -> None:
    rows = counted(pack, "gemm_wgmma_tma", library, cupti.library, rows=True)
    assert rows.passes == wgmma.passes == 3
    assert [one[HGMMA] for one in rows.readings] == [2 * GEMM_PRODUCTS] * 2
    say({name: rows.nanoseconds(name) for name in ("plain_ns", "between_ns", "counted_ns")})
    assert rows.nanoseconds("between_ns") <= 1.05 * rows.nanoseconds("plain_ns")
