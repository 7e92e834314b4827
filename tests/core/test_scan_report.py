from sass_samples import BLACKWELL, HOPPER, code, disassembly, facts, program

from evaluation.core.records import Fact, StageReport
from evaluation.core.scan.evidence import Requirement
from evaluation.core.scan.sass import Disassembly, Unreadable
from evaluation.core.scan.scan import scan
from evaluation.core.scan.scan_report import refuse, report
from evaluation.core.verdict import Severity, Stage, Verdict

WGMMA = "HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT"


def reported(
    read: Disassembly,
    *launched: str,
    required: Requirement = HOPPER,
) -> StageReport:
    return report(scan(read, facts(read), launched=launched, required=required))


def kinds(one: StageReport) -> list[str]:
    return [signal.kind for signal in one.signals]


def value(one: StageReport, name: str) -> str | int:
    return next(fact.value for fact in one.facts if fact.name == name)


def test_the_headline_counts_functions_rows_and_transfers() -> None:
    read = program(
        code("gemm", *[WGMMA] * 64, *["UTMALDG.2D [UR12],[UR8]"] * 4),
        code("tail", "FFMA R1,R1,R1,R1"),
        code("spare", WGMMA),
    )
    one = reported(read, "gemm", "tail")
    assert one.headline == "HGMMA in 1 of 2 launched functions (64 rows), TMA loads 4"
    assert (one.stage, one.verdict, one.signals) == (Stage.SCAN, None, ())


def test_the_headline_names_every_opcode_of_the_family() -> None:
    read = disassembly("blackwell_matrix")
    one = reported(read, "umma_f16", "umma_pair", "mma_sync", required=BLACKWELL)
    assert one.headline == "UTCHMMA in 2 of 3 launched functions (4 rows)"


def test_the_headline_says_what_is_missing() -> None:
    matrix = disassembly("blackwell_matrix")
    assert reported(matrix, "no_umma", required=BLACKWELL).headline == (
        "no TCGEN05 matrix instruction that counts in 1 launched functions"
    )
    assert reported(disassembly("hopper_tma"), "tma_transfers").headline == (
        "no GMMA that counts in 1 launched functions, TMA loads 1, TMA stores 1, TMA reductions 1"
    )


def test_facts_state_the_finding_the_rows_the_resources_and_the_opcode_mix() -> None:
    read = program(
        code(
            "k",
            WGMMA,
            "HGMMA.64x8x16.F16 RZ,gdesc[URZ],RZ",
            "FFMA R1,R1,R1,R1",
            "FFMA R2,R1,R1,R1",
            "EXIT",
        ),
        code("spare", "UBLKPF.L2 [UR6],UR4"),
    )
    assert reported(read, "k").facts == (
        Fact("family_static", "unknown"),
        Fact("family_reason", "present; whether it executes is for the probe to find"),
        Fact("functions", 2),
        Fact("launched_functions", 1),
        Fact("launched_instructions", 5),
        Fact("matrix_rows", 1),
        Fact("bulk_copy_rows", 0),
        Fact("idle_rows", 1),
        Fact("registers_most", 32),
        Fact("static_shared_most", 1024, "bytes"),
        Fact("local_most", 8, "bytes"),
        Fact("opcode.FFMA", 2),
        Fact("opcode.HGMMA", 2),
        Fact("opcode.EXIT", 1),
    )


def test_at_most_eight_opcodes_are_shown() -> None:
    names = ["FADD", "FMUL", "FFMA", "IADD3", "IMAD", "LDG", "LDS", "MOV", "PRMT", "SHF"]
    one = reported(program(code("k", *(f"{name} R1" for name in names))), "k")
    assert len([fact for fact in one.facts if fact.name.startswith("opcode.")]) == 8


def test_an_absent_family_is_a_note_and_no_verdict() -> None:
    one = reported(program(code("k", "FFMA R1,R1,R1,R1")), "k")
    assert kinds(one) == ["family_absent"]
    assert one.signals[0].severity is Severity.NOTE
    assert one.signals[0].sentence == (
        "The target's instruction family is absent: no GMMA and no TMA transfer that counts."
    )
    assert not one.ends_run


def test_a_family_that_is_never_launched_is_named_with_its_functions() -> None:
    read = program(code("k", "EXIT"), code("decoy", WGMMA))
    one = reported(read, "k")
    assert kinds(one) == ["family_absent", "family_not_launched"]
    assert one.signals[1].evidence == ("decoy",)


def test_an_unknown_finding_is_not_called_absent() -> None:
    read = program(code("k", "JMP R2"), code("other", WGMMA))
    assert kinds(reported(read, "k")) == ["family_not_launched", "jump_to_unknown_code"]


def test_a_jump_to_unknown_code_holds() -> None:
    one = reported(program(code("k", WGMMA, "CALL.REL.NOINC R6,k")), "k")
    assert [(signal.kind, signal.severity) for signal in one.signals] == [
        ("jump_to_unknown_code", Severity.HOLD)
    ]


def test_tma_alone_is_labelled_and_no_offence() -> None:
    one = reported(disassembly("hopper_tma"), "tma_transfers")
    assert kinds(one) == ["tma_only"]
    assert one.signals[0].severity is Severity.NOTE


def test_an_fp8_matrix_opcode_in_a_bf16_problem_holds() -> None:
    one = reported(disassembly("hopper_matrix"), "wgmma_bf16", "wgmma_e4m3")
    assert kinds(one) == ["other_precision"]
    assert one.signals[0].severity is Severity.HOLD
    assert one.signals[0].sentence == (
        "Matrix instructions work in f8, the problem is declared in bfloat16."
    )
    assert one.signals[0].evidence == (
        "wgmma_e4m3+0x0050 QGMMA.64x16x32.F32.E4M3.E5M2 R24,gdesc[UR4],RZ,!UPT,gsb0",
    )


def test_fp8_in_a_function_that_is_not_launched_is_no_signal() -> None:
    assert kinds(reported(disassembly("hopper_matrix"), "wgmma_bf16")) == []


def test_tf32_in_a_bf16_problem_is_a_note() -> None:
    one = reported(disassembly("hopper_matrix"), "wgmma_tf32")
    assert [(signal.kind, signal.severity) for signal in one.signals] == [
        ("other_precision", Severity.NOTE)
    ]


def test_the_assemblers_own_f16_hgmma_is_no_other_precision() -> None:
    assert kinds(reported(disassembly("hopper_matrix"), "empty_commit")) == [
        "family_absent",
        "family_not_launched",
    ]


def test_integer_mma_sync_holds_and_sparse_mma_sync_is_noted() -> None:
    one = reported(
        program(code("k", WGMMA, "IMMA.16832.S8.S8 R1", "HMMA.SP.16832.F32.BF16 R1")), "k"
    )
    assert [(signal.kind, signal.severity) for signal in one.signals] == [
        ("other_precision", Severity.HOLD),
        ("sparse_matrix", Severity.NOTE),
    ]
    assert one.signals[1].evidence == ("k+0x0020 HMMA.SP.16832.F32.BF16 R1",)


def test_an_opcode_of_no_table_is_reported() -> None:
    read = program(code("k", WGMMA, "SPIN.X R1", "HGMMAX.64x8x16 R2"), code("spare", "ODD R1"))
    one = reported(read, "k")
    assert kinds(one) == ["unknown_opcode"]
    assert one.signals[0].evidence == ("HGMMAX", "SPIN")
    assert value(one, "unknown_opcode_rows") == 2


def test_the_log_lists_every_kept_row_with_whether_it_counts() -> None:
    read = program(
        code("k", WGMMA, "HMMA.16816.F32.BF16 R4,R4,R4,RZ"),
        code("spare", "EXIT"),
    )
    assert reported(read, "k").log.splitlines() == [
        "k: launched, 2 instructions, 32 registers, 1024 bytes shared, 8 bytes local",
        "  opcodes: HGMMA 1, HMMA 1",
        "  k+0x0000 HGMMA.64x8x16.F32.BF16 R24,gdesc[UR4],RZ,!UPT  [counts]",
        "  k+0x0010 HMMA.16816.F32.BF16 R4,R4,R4,RZ  [not of the family asked for]",
        "spare: not launched, 1 instructions, 32 registers, 1024 bytes shared, 8 bytes local",
        "  opcodes: EXIT 1",
    ]


def test_the_log_says_how_many_rows_it_leaves_out() -> None:
    lines = reported(program(code("k", *[WGMMA] * 70)), "k").log.splitlines()
    assert len(lines) == 67
    assert lines[-1] == "  and 6 rows more"


def test_the_log_counts_the_opcodes_of_each_function_the_rare_ones_together() -> None:
    rows = [f"OP{number:02d} R1" for number in range(42)]
    read = program(code("k", *rows, "OP41 R1", "OP41 R1"), code("empty"))
    lines = reported(read, "k").log.splitlines()
    (first, other) = [one for one in lines if one.startswith("  opcodes: ")]
    assert first.startswith("  opcodes: OP41 3, OP00 1, OP01 1, ")
    assert first.endswith(", OP38 1, 2 others 2")
    assert other == "  opcodes: none"


def test_a_called_function_is_named_as_called() -> None:
    read = program(code("k", "CALL.REL.NOINC helper"), code("helper", "EXIT"))
    assert "helper: called, 1 instructions" in reported(read, "k").log


def test_a_long_name_is_shortened_wherever_it_is_shown() -> None:
    read = program(code("k" * 4096, WGMMA), code("z" * 4096, "EXIT"))
    one = reported(read, "z" * 4096)
    assert all(len(line) < 300 for line in one.log.splitlines())
    assert one.signals[1].evidence == ("k" * 77 + "...",)


def test_unreadable_machine_code_ends_the_run_with_the_reason() -> None:
    one = refuse(Unreadable("its disassembly is larger than 32 MiB"))
    assert (one.stage, one.verdict) == (Stage.SCAN, Verdict.BUILD_FAILED)
    assert one.ends_run
    assert one.headline == "the machine code cannot be read"
    assert one.remarks[0].message == "its disassembly is larger than 32 MiB"
