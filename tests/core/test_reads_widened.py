import pytest
from sass_samples import code, facts, program

from evaluation.core.binary.facts import KernelReads
from evaluation.core.scan.reads import parameter_reads


def is_exact(*lines: str) -> bool:
    read = program(code("k", *lines))
    (found,) = parameter_reads(read, facts(read, parameter_bytes=64))
    assert isinstance(found, KernelReads)
    return found.exact


WORD = "LDC R5,c[0x0][0x218]"
UNIFORM = "LDCU UR4,c[0x0][0x218]"
HALF = "LDC.U16 R5,c[0x0][0x218]"


@pytest.mark.parametrize(
    ("load", "use"),
    [
        (WORD, "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT"),
        (WORD, "LOP3.LUT R9,R5,0xffff,RZ,0xc0,!PT"),
        (WORD, "LOP3.LUT R5,R5,0xff,RZ,0xc0,!PT"),
        (WORD, "PRMT R7,R5,0x9991,RZ"),
        (WORD, "PRMT R7,R5,0x7710,RZ"),
        (WORD, "I2F.S8 R6,R5.B2"),
        (WORD, "I2F.F64.U16 R6,R5"),
        (WORD, "FADD R6,R5.B1,R7"),
        (WORD, "SGXT R6,R5,0x8"),
        (WORD, "SHF.R.U32.HI R6,RZ,0x8,R5"),
        (UNIFORM, "UPRMT UR4,UR4,0x7770,URZ"),
        (UNIFORM, "USHF.R.U32.HI UR5,URZ,0x10,UR4"),
        (HALF, "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT"),
        (HALF, "PRMT R7,R5,0x8880,RZ"),
        (HALF, "I2F.F64.U8 R6,R5"),
        ("LDC.64 R4,c[0x0][0x218]", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT"),
        ("LDC.128 R4,c[0x0][0x218]", "LOP3.LUT R9,R7,0xff,RZ,0xc0,!PT"),
    ],
)
def test_a_load_whose_bytes_are_taken_apart_is_in_doubt(load: str, use: str) -> None:
    assert is_exact(load, "S2R R0,SR_TID.X", use, "EXIT") is False


@pytest.mark.parametrize(
    ("load", "use"),
    [
        (WORD, "LOP3.LUT R9,R5,0x3,RZ,0xc0,!PT"),  # the remainder of an unrolled loop
        (WORD, "LOP3.LUT R9,R50,0xff,RZ,0xc0,!PT"),
        (WORD, "LOP3.LUT R9,UR5,0xff,RZ,0xc0,!PT"),
        (WORD, "LOP3.LUT R9,R4,R5,RZ,0xff,!PT"),  # 0xff is the table of the operation
        (WORD, "SHF.R.S32.HI R6,RZ,0x1f,R5"),
        (WORD, "IMAD R5,R6,R7,R8"),
        (WORD, "STG.E desc[UR4][R2.64],R5"),
        (UNIFORM, "UPRMT UR5,UR6,0x7770,URZ"),
        (HALF, "PRMT R7,R5,0x9910,RZ"),
        (HALF, "I2F.F64.S16 R6,R5"),
        (HALF, "LOP3.LUT R9,R5,0xffff,RZ,0xc0,!PT"),
        ("LDC.U8 R5,c[0x0][0x218]", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT"),
        ("LDC.64 R4,c[0x0][0x218]", "LOP3.LUT R9,R6,0xff,RZ,0xc0,!PT"),
        ("IMAD R5,R6,c[0x0][0x218],R8", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT"),
        ("LDC RZ,c[0x0][0x218]", "LOP3.LUT R9,RZ,0xff,RZ,0xc0,!PT"),
    ],
)
def test_a_load_that_is_used_whole_is_not(load: str, use: str) -> None:
    assert is_exact(load, "S2R R0,SR_TID.X", use, "EXIT") is True


def test_uses_after_the_register_is_written_again_do_not_count() -> None:
    assert is_exact(WORD, "MOV R5,R6", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is True


def test_a_write_that_may_not_happen_keeps_the_register() -> None:
    assert is_exact(WORD, "@P0 MOV R5,R6", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is False


def test_loads_of_other_memory_are_left_alone() -> None:
    assert is_exact("LDC R5,c[0x3][0x218]", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is True
    assert is_exact("LDC R5,c[0x0][0x0]", "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is True


def test_uses_are_looked_for_in_the_next_64_instructions() -> None:
    assert is_exact(WORD, *["NOP"] * 63, "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is False
    assert is_exact(WORD, *["NOP"] * 64, "LOP3.LUT R9,R5,0xff,RZ,0xc0,!PT") is True
