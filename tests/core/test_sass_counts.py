"""Counts by address are read in bounds, joined with the scan's evidence and held against the hardware's counters."""

import json
from fractions import Fraction

import pytest
from probed import HOPPER, reading

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.dtype import DType
from evaluation.core.errors import InvalidInput
from evaluation.core.probe.sass_counts import LIMIT_BYTES, SassCounts, read_sass_counts
from evaluation.core.probe.sass_evidence import (
    evidence_lines,
    executed,
    instrumented_differs,
    products_of,
)
from evaluation.core.probe.work import work_of
from evaluation.core.scan.evidence import EvidenceRow
from evaluation.core.scan.opcodes import MatrixWork, NumberFormat, OpcodeKind
from evaluation.core.verdict import Severity, Target

GEMM = packaged().problem("gemm_n7168_k5120")  # 300,647,710,720 products
BF16 = NumberFormat.BF16


def row(
    address: int,
    opcode: str,
    kind: OpcodeKind,
    products: int | None,
    *,
    idle: bool = False,
    why: str = "",
) -> EvidenceRow:
    work = MatrixWork(BF16, sparse=False, products=products)
    return EvidenceRow("gemm", address, "", opcode, "R24", kind, work, idle, why)


HGMMA = row(0x40, "HGMMA.64x128x16.F32.BF16", OpcodeKind.GMMA, 131_072)
HMMA = row(0x60, "HMMA.16816.F32.BF16", OpcodeKind.OTHER_MATRIX, 2048, why="not of the family")
NULL = row(0x80, "HGMMA.64x8x16.F16", OpcodeKind.GMMA, 8192, idle=True, why="the assembler's own")
TMA = EvidenceRow("gemm", 0x20, "", "UTMALDG.2D", "", OpcodeKind.TMA_LOAD, None, False, "")  # noqa: FBT003 - a record


def document(*launches: tuple[str, list[int], list[int]]) -> bytes:
    return json.dumps(
        {
            "launches": [
                {"function": name, "addresses": addresses, "threads": threads}
                for name, addresses, threads in launches
            ]
        }
    ).encode()


def test_launches_of_a_function_are_summed_and_others_kept_apart() -> None:
    counts = read_sass_counts(
        document(("gemm", [0, 64], [128, 256]), ("gemm", [0, 64], [128, 0]), ("other", [0], [7]))
    )
    assert counts == SassCounts(3, (("gemm", 0, 256), ("gemm", 64, 256), ("other", 0, 7)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"launches": []} ',
        b'{"launches": [], "more": 1}',
        document(("gemm", [0], [1.5])),  # type: ignore[list-item]
        document(("gemm", [0], [-1])),
        document(("gemm", [0, 16], [1])),
        document(("gemm", [0, 0], [1, 1])),
        document(("gemm", [8], [1])),
        document(("gemm", [], [])),
        document(("", [0], [1])),
        document(*[("gemm", [0], [1])] * 33),
        b'{"launches": [{"function": "gemm", "addresses": [0]}]}',
        b"[" * 1000,
        b" " * (LIMIT_BYTES + 1),
    ],
)
def test_a_document_that_breaks_a_rule_is_refused(content: bytes) -> None:
    if content == b'{"launches": []} ':
        assert read_sass_counts(content) == SassCounts(0, ())  # no launch is a count too
        return
    with pytest.raises(InvalidInput):
        read_sass_counts(content)


def test_threads_become_products_by_warpgroup_and_by_warp() -> None:
    counts = read_sass_counts(
        document(("gemm", [0x20, 0x40, 0x60, 0x80], [1, 1280, 96, 512]), ("other", [0x40], [999]))
    )
    found = executed(counts, (TMA, HGMMA, HMMA, NULL))
    assert [(one.threads, one.products) for one in found] == [
        (1, None),
        (1280, 10 * 131_072),
        (96, 3 * 2048),
        (512, 0),  # it executes and makes nothing
    ]
    assert products_of(found) == 1_310_720
    assert evidence_lines(found) == (
        "gemm+0x0040 HGMMA.64x128x16.F32.BF16 R24  [1280 threads, 1310720 products]",
        "gemm+0x0060 HMMA.16816.F32.BF16 R24  [96 threads, 6144 products; not of the family]",
        "gemm+0x0080 HGMMA.64x8x16.F16 R24  [512 threads, 0 products; the assembler's own]",
        "gemm+0x0020 UTMALDG.2D  [1 threads]",
    )


def test_a_row_whose_threads_were_all_predicated_off_made_nothing() -> None:
    (found,) = executed(read_sass_counts(document(("gemm", [0x60], [0]))), (HMMA,))
    assert found.products == 0


def test_a_row_that_nobody_counted_ran_never_and_unknown_shapes_have_no_products() -> None:
    shapeless = row(0x40, "HGMMA.ODD", OpcodeKind.GMMA, None)
    blackwell = row(0x40, "UTCHMMA", OpcodeKind.TCGEN05_MATRIX, 5)
    found = executed(SassCounts(1, ()), (HGMMA, shapeless, blackwell))
    assert [(one.threads, one.products) for one in found] == [(0, 0), (0, None), (0, None)]
    assert products_of(found) == Fraction(0)


@pytest.mark.parametrize(
    ("threads", "held"),
    [
        (293_601_280, False),  # 2,293,760 executions make every product
        (290_665_268, False),  # a hundredth less
        (290_665_140, True),  # and one execution less than that
        (0, True),
    ],
)
def test_the_patched_run_agrees_with_the_counters_within_a_hundredth(
    threads: int, held: bool
) -> None:
    works = [
        work_of(reading(HOPPER, bf16=601_295_421_440), Target.HOPPER, DType.BFLOAT16)
        for _ in range(2)
    ]
    found = executed(read_sass_counts(document(("gemm", [0x40], [threads]))), (HGMMA,))
    signal = instrumented_differs(found, works, GEMM)
    assert (signal is not None) == held
    if signal is not None:
        assert (signal.kind, signal.severity) == ("instrumented_differs", Severity.HOLD)
