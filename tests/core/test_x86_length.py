import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluation.core.binary.x86_length import instruction_length

# Instructions as GNU as writes them, with the text it wrote them from.
INSTRUCTIONS = (
    ("c3", "ret"),
    ("90", "nop"),
    ("4883ec08", "sub rsp, 8"),
    ("488b05cd9f0000", "mov rax, [rip + 0x9fcd]"),
    ("7402", "je +2"),
    ("ffd0", "call rax"),
    ("e800000000", "call rel32"),
    ("66e800000000", "data16 call rel32"),
    ("0f8400000000", "je rel32"),
    ("b801000000", "mov eax, 1"),
    ("66b80100", "mov ax, 1"),
    ("48b80102030405060708", "movabs rax, imm64"),
    ("6648b80102030405060708", "movabs with a needless prefix"),
    ("a10102030405060708", "movabs eax, [moffs]"),
    ("6681c10100", "add cx, 1"),
    ("81c101000000", "add ecx, 1"),
    ("48c7c001000000", "mov rax, 1"),
    ("6648c7c001000000", "mov rax, 1 with a needless prefix"),
    ("c20800", "ret 8"),
    ("c8100000", "enter 16, 0"),
    ("cd80", "int 0x80"),
    ("0f05", "syscall"),
    ("0f0b", "ud2"),
    ("f644240801", "test byte [rsp + 8], 1"),
    ("f7c101000000", "test ecx, 1"),
    ("66f7c10100", "test cx, 1"),
    ("f7d8", "neg eax"),
    ("8d0425e8030000", "lea eax, [0x3e8]"),
    ("8b048500000000", "mov eax, [rax * 4 + disp32]"),
    ("8b8000010000", "mov eax, [rax + 0x100]"),
    ("8b4010", "mov eax, [rax + 0x10]"),
    ("8b00", "mov eax, [rax]"),
    ("660f70c04e", "pshufd xmm0, xmm0, 0x4e"),
    ("660f3a0fc108", "palignr xmm0, xmm1, 8"),
    ("660f3800c1", "pshufb xmm0, xmm1"),
    ("f30f1efa", "endbr64"),
    ("f3a4", "rep movsb"),
    ("c5f877", "vzeroupper"),
    ("c5f8c2c100", "vcmpeqps xmm0, xmm0, xmm1"),
    ("c5fc58c1", "vaddps ymm0, ymm0, ymm1"),
    ("c4e27d18c0", "vbroadcastss ymm0, xmm0"),
    ("c4e37d06c101", "vperm2f128 ymm0, ymm0, ymm1, 1"),
    ("62f17c4858c1", "vaddps zmm0, zmm0, zmm1"),
    ("62f37d4825c1ff", "vpternlogd zmm0, zmm0, zmm1, 0xff"),
    ("62f17c48584201", "vaddps zmm0, zmm0, [rdx + 64]"),
)


@pytest.mark.parametrize(("code", "text"), INSTRUCTIONS, ids=[text for _, text in INSTRUCTIONS])
def test_an_instruction_is_as_long_as_its_encoding(code: str, text: str) -> None:
    encoded = bytes.fromhex(code)
    assert instruction_length(encoded + b"\xff" * 16, 0) == len(encoded)


@pytest.mark.parametrize(
    "code", ["", "66", "48", "0f", "48b8010203", "8b80", "8b04", "c4e2", "e800"]
)
def test_an_instruction_that_is_cut_off_counts_as_one_byte(code: str) -> None:
    assert instruction_length(bytes.fromhex(code), 0) == 1


def test_more_prefixes_than_an_instruction_may_have_count_as_one_byte() -> None:
    assert instruction_length(b"\x66" * 15 + b"\x90" * 4, 0) == 1


@pytest.mark.skipif(not shutil.which("objdump"), reason="objdump is not installed")
def test_lengths_agree_with_objdump_on_compiled_code() -> None:
    """A whole system library; a mismatch would show as a false or a missed system call."""
    library = Path("/usr/lib/x86_64-linux-gnu/libgcc_s.so.1")
    if not library.exists():
        pytest.skip("libgcc_s is not where Debian keeps it")
    listing = subprocess.run(
        ["objdump", "-d", "-w", "--insn-width=16", "-j", ".text", library],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    rows = re.findall(r"^\s*[0-9a-f]+:\t((?:[0-9a-f]{2} )+)\s*\t", listing, flags=re.MULTILINE)
    codes = [bytes.fromhex(row) for row in rows]
    assert len(codes) > 1000
    assert [code.hex() for code in codes if instruction_length(code, 0) != len(code)] == []
