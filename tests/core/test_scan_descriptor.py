import pytest
from sass_samples import BLACKWELL, code, facts, program

from evaluation.core.scan.evidence import evidence_rows
from evaluation.core.scan.scan import scan
from evaluation.core.scan.scan_report import report

USE = "UTCHMMA gdesc[UR6],gdesc[UR8],tmem[UR4],tmem[UR12],idesc[UR13],UP0"


def shown(*lines: str) -> str:
    *_, last = evidence_rows(code("k", *lines), BLACKWELL)
    return last.descriptor


@pytest.mark.parametrize(
    ("value", "text"),
    [
        # Values as the PTX ISA builds them: D in bits 4-5, A in 7-9, B in 10-12, N/8 in 17-22, M/16 in 24-28.
        ("0x8400490", "descriptor 0x8400490: bf16 by bf16 into f32, M 128, N 256, dense"),
        ("0x8400910", "descriptor 0x8400910: tf32 by tf32 into f32, M 128, N 256, dense"),
        ("0x4100000", "descriptor 0x4100000: f16 by f16 into f16, M 64, N 64, dense"),
        ("0x8400494", "descriptor 0x8400494: bf16 by bf16 into f32, M 128, N 256, sparse"),
        ("0x84004b0", "descriptor 0x84004b0: bf16 by bf16 into unknown, M 128, N 256, dense"),
        ("0x8401f90", "descriptor 0x8401f90: unknown by unknown into f32, M 128, N 256, dense"),
    ],
)
def test_a_constant_descriptor_is_shown_in_words(value: str, text: str) -> None:
    assert shown(f"UMOV UR13,{value}", "UMOV UR7,0x40004040", USE) == text


def test_the_descriptor_of_another_kind_is_shown_as_a_number() -> None:
    assert shown("UMOV UR5,0x8400490", "UTCQMMA gdesc[UR6],idesc[UR5],UP0") == (
        "descriptor 0x8400490"
    )


@pytest.mark.parametrize(
    "lines",
    [
        ("LDCU UR13,c[0x0][0x3a0]", USE),
        ("UMOV UR13,UR5", USE),
        ("@UP0 UMOV UR13,0x8400490", USE),
        ("UMOV UR13,0x8400490", "ULEA UR13,UR13,UR4,0x18", USE),
        ("UMOV UR13,0x123456789", USE),
        (USE,),
        ("UMOV UR13,0x8400490", *["NOP"] * 64, USE),
        ("UMOV UR13,0x8400490", "UTCHMMA gdesc[UR6],gdesc[UR8],tmem[UR4]"),
    ],
)
def test_a_descriptor_that_is_no_constant_is_not_shown(lines: tuple[str, ...]) -> None:
    assert shown(*lines) == ""


def test_the_log_shows_the_descriptor_beside_the_row() -> None:
    read = program(code("k", "UMOV UR13,0x8400490", USE), sm=100)
    log = report(scan(read, facts(read), launched=("k",), required=BLACKWELL)).log
    assert log.endswith(
        "[counts; descriptor 0x8400490: bf16 by bf16 into f32, M 128, N 256, dense]"
    )
