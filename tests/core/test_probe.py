"""The instruction finding over counters of kernels of known shape; every number is worked out by hand.

GEMM 8192 x 7168 x 5120 needs 300,647,710,720 products: 601,295,421,440 operations, or 146,800,640 warp instructions of
2,048 products. Attention of 48 heads, batch 4, S = 4096, d = 128 has 192 * 16,777,216 pairs of 128 products.
"""

import pytest
from probed import HOPPER, blackwell, hopper, reading

from evaluation.adapters.catalogue import packaged
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.seen import ProbeSeen, Reading
from evaluation.core.probe.finding import Clock, Static
from evaluation.core.probe.probe import judge_probe
from evaluation.core.records import StageReport
from evaluation.core.verdict import FamilyExecuted, Severity, Stage, Target

GEMM_OPS = 601_295_421_440
GEMM_WARPS = 146_800_640
GEMM_INPUT_BYTES = 157_286_400  # 2 * (8192 + 7168) * 5120
PRESENT = Static(FamilyExecuted.UNKNOWN)
NOTE, HOLD = Severity.NOTE, Severity.HOLD


def judged(
    seen: ProbeSeen,
    problem: str = "gemm_n7168_k5120",
    target: Target = Target.HOPPER,
    static: Static = PRESENT,
    clock: Clock | None = None,
) -> StageReport:
    return judge_probe(seen, packaged().problem(problem), target, static, clock or Clock())


def facts(report: StageReport) -> dict[str, str | int]:
    return {one.name: one.value for one in report.facts}


def kinds(report: StageReport) -> list[tuple[str, Severity]]:
    return [(one.kind, one.severity) for one in report.signals]


def found(report: StageReport) -> tuple[str | int, ...]:
    said = facts(report)
    return tuple(
        said.get(name, "") for name in ("family", "matrix_path", "executed_share", "coverage")
    )


def test_a_full_wgmma_gemm_is_executed_and_covered() -> None:
    # 58,720,256 outputs, two instructions of the fma pipe each: 0.00039 of the products
    report = judged(
        hopper(
            bf16=GEMM_OPS,
            gmma=9_175_040,
            half=9_175_040,
            fma=117_440_512,
            loads=40,
            bytes=GEMM_INPUT_BYTES,
        )
    )
    assert found(report) == ("yes", "yes", "1.0000", "0.9996")
    assert facts(report)["family_by"] == "gmma and tma"
    assert facts(report)["other_work"] == "0.0003"
    assert facts(report)["transfer_share"] == "1.0000"
    assert facts(report)["products.bf16"] == 300_647_710_720
    assert report.signals == ()
    assert report.headline == "executed 1.0000 of the required products, coverage 0.9996"
    assert (report.stage, report.verdict) == (Stage.PROBE, None)


@pytest.mark.parametrize(
    ("name", "seen", "executed", "signals"),
    [
        (
            "one token wgmma of 64 x 128 x 16 beside mma.sync",
            hopper(bf16=262_144, gmma=4, half=GEMM_WARPS + 4),
            "0.0000",
            [("decoy", HOLD)],
        ),
        (
            "a side kernel whose wgmma result nobody reads",
            hopper(bf16=GEMM_OPS, gmma=9_175_040, half=GEMM_WARPS + 9_175_040),
            "1.0000",
            [("decoy", HOLD)],
        ),
        (
            "the same, two and a half times",
            hopper(bf16=1_503_238_553_600, gmma=22_937_600, half=GEMM_WARPS + 22_937_600),
            "2.5000",
            [("decoy", HOLD), ("excess_work", NOTE)],  # 2.5 + 1 is above 3
        ),
        (
            "a token beside plain FFMA",
            hopper(bf16=262_144, gmma=4, half=4, fma=300_647_710_720),
            "0.0000",
            [("decoy", HOLD)],
        ),
    ],
)
def test_useless_wgmma_buys_no_coverage(
    name: str, seen: ProbeSeen, executed: str, signals: list[tuple[str, Severity]]
) -> None:
    report = judged(seen)
    assert found(report) == ("yes", "no", executed, "0.0000"), name
    assert kinds(report) == signals


def test_half_wgmma_attention_is_covered_by_half() -> None:
    # Q times K by wgmma: 412,316,860,416 products; P times V by 201,326,592 mma.sync; three scalar instructions for
    # each of 3,221,225,472 scores: 9,663,676,416 of 824,633,720,832 are 0.01171875.
    seen = hopper(
        bf16=824_633_720_832, gmma=3_145_728, half=3_145_728 + 201_326_592, fma=9_663_676_416
    )
    report = judged(seen, "mha_with_lse_d128")
    assert found(report) == ("yes", "no", "0.5000", "0.4882")
    assert kinds(report) == [("partial_coverage", NOTE)]


def test_full_wgmma_attention_keeps_its_matrix_path_beside_the_softmax() -> None:
    report = judged(hopper(bf16=1_649_267_441_664, fma=9_663_676_416), "mha_with_lse_d128")
    assert found(report) == ("yes", "yes", "1.0000", "0.9882")
    assert report.signals == ()


@pytest.mark.parametrize(
    ("problem", "operations", "executed"),
    [
        # tiles of 64 x 64 on and below the diagonal: 2,080 * 4,096 pairs where 8,390,656 are needed
        ("mha_with_lse_d128_causal", 837_518_622_720, "1.0153"),
        # a backward in two passes: seven products in place of five
        ("mha_bwd_d128", 5_772_436_045_824, "1.4000"),
        # 70 rows in a tile of 128
        ("gemm_n28672_k4096", 30_064_771_072, "1.8285"),
    ],
)
def test_honest_excess_is_shown_and_raises_nothing(
    problem: str, operations: int, executed: str
) -> None:
    report = judged(hopper(bf16=operations), problem)
    assert found(report) == ("yes", "yes", executed, "1.0000")
    assert report.signals == ()


def test_an_empty_commit_group_is_present_and_never_executed() -> None:
    # its HGMMA executes for four warps and computes nothing; the work is plain FFMA
    report = judged(hopper(gmma=4, half=4, fma=300_647_710_720))
    assert found(report) == ("present_never_executed", "no", "0.0000", "0.0000")
    assert report.signals == ()
    assert report.headline == (
        "present never executed: its instructions are in a launched function and did no work in any counted call"
    )


def test_an_absent_family_is_not_counted() -> None:
    report = judged(ProbeSeen(()), static=Static(FamilyExecuted.ABSENT))
    assert found(report) == ("absent", "no", "", "")
    assert report.signals == ()


@pytest.mark.parametrize(
    ("seen", "reason"),
    [
        (ProbeSeen((), "no_permission"), "the counters could not be read: no_permission"),
        (
            ProbeSeen(hopper(bf16=GEMM_OPS).readings[:1], "refused (CUPTI status 15)"),
            "the counters could not be read: refused (CUPTI status 15)",
        ),
        (
            ProbeSeen(hopper(bf16=GEMM_OPS).readings[:1]),
            "only 1 of at least 2 readings fitted",
        ),
    ],
)
def test_without_readings_the_finding_is_unknown_with_the_reason(
    seen: ProbeSeen, reason: str
) -> None:
    report = judged(seen)
    assert found(report) == ("unknown", "unknown", "", "")
    assert facts(report)["family_reason"] == reason
    assert report.headline == f"unknown: {reason}".replace("_", " ")


def test_two_readings_are_enough_when_another_failed_and_that_is_told() -> None:
    readings = hopper(bf16=GEMM_OPS, gmma=9_175_040, half=9_175_040).readings[:2]
    report = judged(ProbeSeen(readings, "incomplete (at step end a pass)"))
    assert found(report) == ("yes", "yes", "1.0000", "1.0000")
    assert facts(report)["reading_failed"] == "incomplete (at step end a pass)"
    assert facts(report)["readings"] == 2


@pytest.mark.parametrize(
    ("problem", "seen", "candidate_ns", "coverage"),
    [
        # 360,777,252 products of other pipes are 0.0012 of those of the problem
        (
            "gemm_n7168_k5120",
            hopper(
                bf16=GEMM_OPS, gmma=9_175_040, half=9_175_040, fma=360_777_252, loads=40, bytes=7
            ),
            742_000,
            "0.9988",
        ),
        # 10,225,458,138 of 824,633,720,832 are 0.0124
        (
            "mha_with_lse_d128",
            hopper(bf16=1_649_267_441_664, fma=10_225_458_138, loads=40, bytes=7),
            2_236_000,
            "0.9876",
        ),
    ],
)
def test_honest_wgmma_kernels_as_measured_on_an_h200_raise_nothing(
    problem: str, seen: ProbeSeen, candidate_ns: int, coverage: str
) -> None:
    report = judged(seen, problem, clock=Clock(candidate_ns, 800e12))
    assert found(report) == ("yes", "yes", "1.0000", coverage)
    assert report.signals == ()


def test_an_honest_mma_sync_gemm_with_the_family_in_no_instruction_that_ran_raises_nothing() -> (
    None
):
    # as measured on an H200: no HGMMA at all, and one warp instruction for every 2,048 products
    report = judged(hopper(half=GEMM_WARPS), clock=Clock(1_567_000, 800e12))
    assert found(report) == ("present_never_executed", "no", "0.0000", "0.0000")
    assert report.signals == ()


def test_a_kernel_that_works_otherwise_in_one_call_is_held_and_unknown() -> None:
    usual = {"bf16": GEMM_OPS, "gmma": 9_175_040, "half": 9_175_040}
    # a hundredth of the products and one more, by mma.sync in the last reading
    more = 1_468_007
    seen = ProbeSeen(
        (
            reading(HOPPER, 3, **usual),
            reading(HOPPER, 9, **{**usual, "half": 9_175_040 + more}),
        )
    )
    report = judged(seen)
    assert found(report) == ("unknown", "unknown", "", "")
    assert kinds(report) == [("counted_calls_differ", HOLD)]
    assert report.signals[0].evidence == (
        "mma.sync: from 0.0000 to 0.0100 of the required products",
    )


def test_a_hundredth_of_the_work_may_vary() -> None:
    usual = {"bf16": GEMM_OPS, "gmma": 9_175_040, "half": 9_175_040}
    seen = ProbeSeen(
        (
            reading(HOPPER, 3, **usual),
            reading(HOPPER, 9, **{**usual, "half": 9_175_040 + 1_468_006}),
        )
    )
    report = judged(seen)
    assert found(report) == ("yes", "yes", "1.0000", "0.9900")  # the least favourable reading
    assert report.signals == ()


def test_a_family_that_ran_in_some_calls_only_is_held() -> None:
    seen = ProbeSeen(
        (
            reading(HOPPER, 3, bf16=262_144, gmma=4, half=GEMM_WARPS + 4, loads=1),
            reading(HOPPER, 9, half=GEMM_WARPS),
        )
    )
    report = judged(seen)
    assert kinds(report) == [("counted_calls_differ", HOLD)]
    assert report.signals[0].evidence == (
        "matrix instructions of the target: ran in some of the counted calls only",
        "bulk transfers: ran in some of the counted calls only",
    )


@pytest.mark.parametrize(
    ("counts", "executed", "coverage", "signals"),
    [
        # TF32 is wider and counts; half of a sparse instruction's nominal products counts
        ({"tf32": GEMM_OPS}, "1.0000", "1.0000", [("other_precision_executed", NOTE)]),
        (
            {"bf16_sparse": GEMM_OPS},
            "0.5000",
            "0.5000",
            [("work_missing", HOLD), ("partial_coverage", NOTE), ("sparse_executed", NOTE)],
        ),
        # formats that do not count are other work
        ({"fp16": GEMM_OPS}, "0.0000", "0.0000", [("other_precision_executed", NOTE)]),
        ({"fp8": GEMM_OPS}, "0.0000", "0.0000", [("other_precision_executed", HOLD)]),
        (
            {"fp8": GEMM_OPS // 2, "bf16": GEMM_OPS // 2},
            "0.5000",
            "0.5000",
            [("partial_coverage", NOTE), ("other_precision_executed", HOLD)],
        ),
        # 71,680 integer instructions could be the whole result
        (
            {"integer": 71_680, "gmma": 71_680},
            "0.0000",
            "0.0000",
            [("other_precision_executed", HOLD)],
        ),
    ],
)
def test_other_formats_are_told_apart(
    counts: dict[str, int], executed: str, coverage: str, signals: list[tuple[str, Severity]]
) -> None:
    report = judged(hopper(**counts))
    assert found(report)[2:] == (executed, coverage)
    assert kinds(report) == signals


def test_work_that_nobody_can_have_done_is_held() -> None:
    # 0.4 by wgmma and 0.4 by mma.sync: an eighth of the products may be saved, not a fifth
    report = judged(hopper(bf16=240_518_168_576, gmma=4_000_000, half=4_000_000 + 58_720_256))
    assert found(report) == ("yes", "no", "0.4000", "0.4000")
    assert kinds(report) == [("work_missing", HOLD), ("partial_coverage", NOTE)]


@pytest.mark.parametrize(
    ("counts", "other"),
    [
        ({"fma": 30_064_771_072}, "0.1000"),
        # a second time for two products a thread
        ({"fma": 30_064_771_072, "fma_fp16": 30_064_771_072}, "0.2000"),
        ({"fp64": 30_064_771_072}, "0.1000"),
        # 64 products for a warp
        ({"hfma2": 469_762_048, "half": 469_762_048}, "0.1000"),
        ({"double": 14_680_064}, "0.1000"),
        # 7,168 times 4,194,304
        ({"integer": 7_168}, "0.1000"),
        # with as many integer as wgmma instructions, all of the other counter may be mma.sync
        ({"integer": 1, "gmma": 1, "half": 14_680_064}, "0.1000"),
        # more of wgmma than of both together is no negative work
        ({"gmma": 5, "half": 4}, "0.0000"),
    ],
)
def test_every_other_pipe_is_weighed(counts: dict[str, int], other: str) -> None:
    assert facts(judged(hopper(bf16=GEMM_OPS, **counts)))["other_work"] == other


def test_tma_alone_satisfies_the_published_rule_and_says_so() -> None:
    report = judged(hopper(half=GEMM_WARPS, loads=9, bytes=GEMM_INPUT_BYTES * 2))
    assert found(report) == ("yes", "no", "0.0000", "0.0000")
    assert facts(report)["label"] == "TMA only"
    assert kinds(report) == [("tma_only_executed", NOTE)]
    assert report.headline == "TMA only, 2.0000 times the input's bytes"


def test_tma_that_feeds_less_than_half_reads_decoy() -> None:
    report = judged(hopper(half=GEMM_WARPS, stores=1, bytes=GEMM_INPUT_BYTES // 4))
    assert facts(report)["label"] == "decoy"
    assert facts(report)["transfer_share"] == "0.2500"
    assert kinds(report) == [("tma_decoy", NOTE)]


def test_bulk_copies_beside_a_tma_instruction_leave_it_open_which_ran() -> None:
    static = Static(FamilyExecuted.UNKNOWN, bulk_rows=2)
    report = judged(hopper(half=GEMM_WARPS, loads=9, bytes=GEMM_INPUT_BYTES), static=static)
    assert found(report) == ("unknown", "no", "0.0000", "0.0000")
    with_gmma = judged(hopper(bf16=GEMM_OPS, loads=9), static=static)
    assert found(with_gmma)[0] == "yes"


def test_on_blackwell_transfers_do_not_count_and_every_instruction_has_a_counter() -> None:
    # half of the products by UTCHMMA, half by mma.sync; one FFMA2 thread for each of 100 products
    seen = blackwell(
        bf16=GEMM_OPS // 2,
        warp_bf16=GEMM_OPS // 2,
        fma=1_503_238_553,
        loads=9,
        bytes=GEMM_INPUT_BYTES,
    )
    report = judged(seen, target=Target.BLACKWELL)
    assert found(report) == ("yes", "no", "0.5000", "0.4900")
    assert facts(report)["family_by"] == "tcgen05"
    only_tma = judged(blackwell(warp_bf16=GEMM_OPS, loads=9), target=Target.BLACKWELL)
    assert found(only_tma)[0] == "present_never_executed"


@pytest.mark.parametrize(("ns", "faster"), [(911_000, "yes"), (912_000, "no")])
def test_a_time_below_what_mma_sync_can_do_is_a_second_proof(ns: int, faster: str) -> None:
    # 601,295,421,440 FLOPs at 660e12 a second are 911,054 ns
    clock = Clock(candidate_ns=ns, warp_matrix_flops_per_s=660e12)
    assert facts(judged(hopper(bf16=GEMM_OPS), clock=clock))["faster_than_mma_sync"] == faster


@pytest.mark.parametrize(
    ("counts", "ns", "signals"),
    [
        # at 900e12 a second 668,106 ns; a quarter faster is 534,485 ns
        ({"bf16": GEMM_OPS}, 534_400, [("counters_implausible", HOLD)]),
        ({"bf16": GEMM_OPS}, 534_500, []),
        # TF32 takes twice as long
        ({"tf32": GEMM_OPS}, 1_068_900, [("counters_implausible", HOLD)]),
        ({"tf32": GEMM_OPS}, 1_069_000, [("other_precision_executed", NOTE)]),
    ],
)
def test_counters_that_contradict_the_clock_are_held(
    counts: dict[str, int], ns: int, signals: list[tuple[str, Severity]]
) -> None:
    clock = Clock(candidate_ns=ns, target_flops_per_s=900e12)
    assert kinds(judged(hopper(**counts), clock=clock)) == signals


@pytest.mark.parametrize(
    "clock",
    [Clock(candidate_ns=1), Clock(candidate_ns=0, target_flops_per_s=1.0), Clock(1, 0.0)],
)
def test_a_clock_that_nobody_measured_contradicts_nothing(clock: Clock) -> None:
    assert judged(hopper(bf16=GEMM_OPS), clock=clock).signals == ()


@pytest.mark.parametrize(
    "values",
    [
        (),
        tuple((name, -1 if name.startswith("gpu__") else 0) for name in HOPPER.values()),
    ],
)
def test_a_reading_that_is_none_is_our_failure(values: tuple[tuple[str, int], ...]) -> None:
    with pytest.raises(ToolFailure, match="a reading of the counters"):
        judged(ProbeSeen((Reading(0, 1, values), Reading(0, 2, values))))


def test_the_log_keeps_every_counter_of_every_reading() -> None:
    log = judged(hopper(bf16=GEMM_OPS)).log
    assert log.splitlines()[0] == "reading 0: launcher 0, up to call 5"
    assert log.count("601295421440") == 3
    assert len(log.splitlines()) == 3 * (1 + 22)
