from pathlib import Path

import pytest
from sass_samples import BLACKWELL, HOPPER, code, disassembly, facts, program

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Family
from evaluation.core.catalogue.problem_file import load_problem
from evaluation.core.errors import InvalidInput
from evaluation.core.scan.evidence import EvidenceRow, Requirement, evidence_rows, requirement
from evaluation.core.scan.opcodes import NumberFormat, OpcodeKind
from evaluation.core.scan.sass import Disassembly
from evaluation.core.scan.scan import FormatCount, FunctionScan, OpcodeCount, ScanResult, scan
from evaluation.core.verdict import FamilyExecuted, Target

PRESENT = "present; whether it executes is for the probe to find"


def scanned(
    read: Disassembly,
    *launched: str,
    required: Requirement = HOPPER,
) -> ScanResult:
    return scan(read, facts(read), launched=launched, required=required)


def function(result: ScanResult, name: str) -> FunctionScan:
    return next(one for one in result.functions if one.name == name)


def rows(read: Disassembly, name: str, required: Requirement = HOPPER) -> list[EvidenceRow]:
    one = next(one for one in read.functions if one.name == name)
    return list(evidence_rows(one, required))


def test_a_bf16_wgmma_is_present_and_a_scan_never_says_more() -> None:
    result = scanned(disassembly("hopper_matrix"), "wgmma_bf16")
    assert (result.family, result.reason) == (FamilyExecuted.UNKNOWN, PRESENT)
    assert function(result, "wgmma_bf16").counting == (OpcodeCount("HGMMA", OpcodeKind.GMMA, 2),)
    assert not result.tma_only


def test_every_evidence_row_shows_function_address_text_and_work() -> None:
    first, second = rows(disassembly("hopper_matrix"), "wgmma_bf16")
    assert first.line == ("wgmma_bf16+0x0050 HGMMA.64x16x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT")
    assert second.line == ("wgmma_bf16+0x0060 HGMMA.64x16x16.F32.BF16 R24,gdesc[UR4],R24,gsb0")
    assert first.counts
    assert first.work is not None
    assert first.work.products == 64 * 16 * 16


def test_the_null_hgmma_of_an_empty_commit_group_counts_nowhere() -> None:
    (row,) = rows(disassembly("hopper_matrix"), "empty_commit")
    assert row.line == "empty_commit+0x0040 HGMMA.64x8x16.F16 RZ,gdesc[URZ],RZ,!UPT,gsb0"
    assert (row.counts, row.idle) == (False, True)
    assert row.why == "the assembler's own, for an empty commit group"
    result = scanned(disassembly("hopper_matrix"), "empty_commit")
    assert result.family is FamilyExecuted.ABSENT
    assert result.formats == ()
    assert function(result, "empty_commit").idle_rows == 1


def test_a_wgmma_with_a_real_destination_or_descriptor_is_not_the_assemblers_own() -> None:
    read = program(
        code(
            "k",
            "HGMMA.64x8x16.F32.BF16 R24,gdesc[URZ],RZ,!UPT",
            "HGMMA.64x8x16.F32.BF16 RZ,gdesc[UR4],RZ,!UPT",
            "HGMMA.64x8x16.F32.BF16 RZ,R4,gdesc[URZ],RZ,!UPT",
        )
    )
    assert [row.idle for row in rows(read, "k")] == [False, False, True]


@pytest.mark.parametrize("predicate", ["@!PT", "@!UPT"])
def test_an_instruction_whose_predicate_is_never_true_counts_nowhere(predicate: str) -> None:
    read = program(code("k", f"{predicate} HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT", "EXIT"))
    (row,) = rows(read, "k")
    assert (row.why, row.idle) == ("its predicate is never true", True)
    assert scanned(read, "k").family is FamilyExecuted.ABSENT


def test_an_ordinary_predicate_is_the_probes_to_judge() -> None:
    read = program(code("k", "@!P0 HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT", "EXIT"))
    assert scanned(read, "k").family is FamilyExecuted.UNKNOWN


def test_a_plain_fma_kernel_is_absent() -> None:
    result = scanned(disassembly("hopper_matrix"), "fma_only")
    assert result.family is FamilyExecuted.ABSENT
    assert (
        result.reason == "no GMMA and no TMA transfer that counts"
        or "only in others" in result.reason
    )
    assert function(result, "fma_only").rows == ()


def test_a_name_that_imitates_an_instruction_is_only_a_name() -> None:
    name = "HGMMA$64x256x16$F32$BF16"
    result = scanned(disassembly("hopper_matrix"), name)
    assert result.family is FamilyExecuted.ABSENT
    assert function(result, name).counting == ()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("wgmma_f16", "f16 in a bfloat16 problem"),
        ("wgmma_e4m3", "f8 in a bfloat16 problem"),
        ("wgmma_s8", "i8 in a bfloat16 problem"),
        ("wgmma_b1", "b1 in a bfloat16 problem"),
        ("mma_sync", "not of the family asked for"),
    ],
)
def test_other_formats_and_other_families_count_for_nothing(name: str, why: str) -> None:
    found = rows(disassembly("hopper_matrix"), name)
    assert found
    assert {row.why for row in found} == {why}
    assert scanned(disassembly("hopper_matrix"), name).family is FamilyExecuted.ABSENT


@pytest.mark.parametrize("name", ["wgmma_tf32", "wgmma_sparse"])
def test_tf32_and_sparse_wgmma_count(name: str) -> None:
    assert scanned(disassembly("hopper_matrix"), name).family is FamilyExecuted.UNKNOWN


def test_a_gmma_with_modifiers_of_no_table_is_not_guessed() -> None:
    (row,) = rows(program(code("k", "HGMMA.64x8x16.F32.NEW R24,gdesc[UR4],RZ")), "k")
    assert row.why == "its modifiers are in no table"


def test_formats_of_the_launched_functions_come_with_examples() -> None:
    result = scanned(disassembly("hopper_matrix"), "mma_sync")
    assert result.formats == (
        FormatCount(
            NumberFormat.BF16,
            sparse=False,
            rows=1,
            examples=("mma_sync+0x0050 HMMA.16816.F32.BF16 R12,R8,R8,RZ",),
        ),
        FormatCount(
            NumberFormat.BF16,
            sparse=True,
            rows=1,
            examples=("mma_sync+0x0080 HMMA.SP.16832.F32.BF16 R12,R8,R8,R12,R8,0x0",),
        ),
        FormatCount(
            NumberFormat.I8,
            sparse=False,
            rows=1,
            examples=("mma_sync+0x0060 IMMA.16832.S8.S8 R16,R8.ROW,R8.COL,RZ",),
        ),
    )


def test_the_three_transfers_are_told_apart_and_make_the_family_by_themselves() -> None:
    result = scanned(disassembly("hopper_tma"), "tma_transfers")
    assert function(result, "tma_transfers").counting == (
        OpcodeCount("UTMALDG", OpcodeKind.TMA_LOAD, 1),
        OpcodeCount("UTMAREDG", OpcodeKind.TMA_REDUCE, 1),
        OpcodeCount("UTMASTG", OpcodeKind.TMA_STORE, 1),
    )
    assert (result.family, result.reason, result.tma_only) == (
        FamilyExecuted.UNKNOWN,
        PRESENT,
        True,
    )


def test_prefetches_and_bulk_copies_are_listed_and_count_for_nothing() -> None:
    result = scanned(disassembly("hopper_tma"), "tma_prefetch_only")
    one = function(result, "tma_prefetch_only")
    assert one.rows_of(OpcodeKind.TMA_OTHER) == 3
    assert one.rows_of(OpcodeKind.BULK) == 4
    assert one.counting == ()
    assert len(one.rows) == 7
    assert result.family is FamilyExecuted.ABSENT


def test_on_blackwell_inherited_transfers_do_not_count() -> None:
    result = scanned(disassembly("blackwell_matrix"), "tma_transfers", required=BLACKWELL)
    assert result.family is FamilyExecuted.ABSENT
    assert function(result, "tma_transfers").counting == ()


def test_a_tcgen05_matrix_instruction_is_at_most_present() -> None:
    result = scanned(disassembly("blackwell_matrix"), "umma_f16", "umma_pair", required=BLACKWELL)
    assert (result.family, result.reason) == (FamilyExecuted.UNKNOWN, PRESENT)
    assert function(result, "umma_f16").counting == (
        OpcodeCount("UTCHMMA", OpcodeKind.TCGEN05_MATRIX, 3),
    )
    assert function(result, "umma_pair").counting[0].rows == 1


def test_allocation_load_store_copy_shift_and_commit_are_not_the_family() -> None:
    result = scanned(disassembly("blackwell_matrix"), "no_umma", required=BLACKWELL)
    one = function(result, "no_umma")
    assert one.rows_of(OpcodeKind.TENSOR_MEMORY) == 6
    assert one.rows_of(OpcodeKind.TCGEN05_OTHER) == 1
    assert one.counting == ()
    assert result.family is FamilyExecuted.ABSENT


def test_eight_and_four_bit_tcgen05_count_for_nothing_in_a_bf16_problem() -> None:
    result = scanned(disassembly("blackwell_matrix"), "umma_narrow", required=BLACKWELL)
    assert [row.why for row in function(result, "umma_narrow").rows] == [
        "f8 in a bfloat16 problem",
        "i8 in a bfloat16 problem",
        "f4 in a bfloat16 problem",
    ]


def test_the_family_in_a_function_that_is_never_launched_is_absent() -> None:
    result = scanned(disassembly("hopper_matrix"), "fma_only")
    assert result.reason == "no GMMA and no TMA transfer in a launched function, only in others"
    assert [one.name for one in result.launched] == ["fma_only"]


def test_the_family_in_a_called_function_is_present() -> None:
    read = program(
        code("k", "CALL.REL.NOINC helper", "EXIT"),
        code("helper", "HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ", "RET.REL.NODEC R2,helper"),
    )
    result = scanned(read, "k")
    assert result.family is FamilyExecuted.UNKNOWN
    assert [(one.name, one.launched, one.reachable) for one in result.functions] == [
        ("k", True, True),
        ("helper", False, True),
    ]


LEAVING = program(
    code("k", "CALL.ABS.NOINC R2", "EXIT"),
    code("other", "HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ", "EXIT"),
)


def test_a_jump_to_an_unknown_address_leaves_the_family_unknown() -> None:
    result = scanned(LEAVING, "k")
    assert result.family is FamilyExecuted.UNKNOWN
    assert result.reason.startswith("a launched function jumps to an unknown address")


def test_a_call_of_printf_is_no_unknown_jump() -> None:
    read = program(
        code("k", "LDC.64 R2,c[0x4][R0]", "CALL.ABS.NOINC R2", "EXIT"), LEAVING.functions[1]
    )
    result = scanned(read, "k")
    assert (result.family, result.leaves) == (FamilyExecuted.ABSENT, False)


def test_a_jump_to_an_unknown_address_finds_nothing_where_nothing_is() -> None:
    result = scanned(program(code("k", "JMP R2")), "k")
    assert (result.family, result.leaves) == (FamilyExecuted.ABSENT, True)


def test_a_plan_without_launches_has_no_family() -> None:
    result = scanned(disassembly("hopper_matrix"))
    assert result.family is FamilyExecuted.ABSENT
    assert result.launched == ()


def test_opcodes_are_counted_by_first_token_most_frequent_first() -> None:
    read = program(
        code(
            "k", "FFMA R1,R1,R1,R1", "LDC.64 R2,c[0x0][0x210]", "FFMA.FTZ R1,R1,R1,R1", "SPIN.X R1"
        )
    )
    assert function(scanned(read, "k"), "k").opcodes == (
        OpcodeCount("FFMA", OpcodeKind.ORDINARY, 2),
        OpcodeCount("LDC", OpcodeKind.ORDINARY, 1),
        OpcodeCount("SPIN", OpcodeKind.UNKNOWN, 1),
    )


def test_resources_come_from_the_elf() -> None:
    one = function(scanned(program(code("k", "EXIT")), "k"), "k")
    assert (one.registers, one.static_shared_bytes, one.local_bytes) == (32, 1024, 8)


def test_rows_that_count_are_kept_before_others_and_all_are_counted() -> None:
    others = ["HMMA.16816.F32.BF16 R4,R4,R4,RZ"] * 100
    read = program(code("k", *others, "HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ"))
    one = function(scanned(read, "k"), "k")
    assert len(one.rows) == 64
    assert one.rows[-1].address == 1600
    assert one.rows[0].address == 0
    assert one.rows_left_out == 37
    assert one.rows_of(OpcodeKind.OTHER_MATRIX) == 100


def test_at_most_512_rows_are_kept_in_all() -> None:
    lines = ["HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ"] * 64
    read = program(*(code(f"k{number}", *lines) for number in range(9)))
    result = scanned(read, "k0")
    assert [len(one.rows) for one in result.functions] == [64] * 8 + [0]
    assert function(result, "k8").rows_left_out == 64


def test_code_for_another_architecture_is_refused() -> None:
    with pytest.raises(InvalidInput, match="must be code for sm_100a"):
        scanned(disassembly("hopper_tma"), "tma_transfers", required=BLACKWELL)


def test_a_function_that_the_elf_does_not_know_is_refused() -> None:
    known = facts(program(code("k", "EXIT")))
    with pytest.raises(InvalidInput, match="name different functions or sizes"):
        scan(program(code("k", "EXIT"), code("x", "EXIT")), known, launched=("k",), required=HOPPER)


def test_a_function_of_another_size_than_the_elf_says_is_refused() -> None:
    known = facts(program(code("k", "EXIT", "NOP")))
    with pytest.raises(InvalidInput, match="name different functions or sizes"):
        scan(program(code("k", "EXIT")), known, launched=("k",), required=HOPPER)


def test_a_launch_of_a_function_that_the_cubin_lacks_is_refused() -> None:
    with pytest.raises(InvalidInput, match="launches a function that the cubin lacks"):
        scanned(program(code("k", "EXIT")), "hidden_kernel")


def test_what_a_problem_asks_comes_from_its_definition() -> None:
    path = Path(__file__).parents[2] / "evaluation/problems/mha_bwd_d128.toml"
    problem = load_problem(path.read_text(), where=path.name)
    assert requirement(problem, Target.HOPPER) == Requirement(
        Target.HOPPER, (Family.GMMA, Family.TMA), DType.BFLOAT16
    )
