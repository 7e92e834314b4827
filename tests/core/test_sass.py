import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sass_samples import document_bytes, written, written_function

from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.scan.sass import Function, Instruction, read_disassembly

NOP: dict[str, object] = {"opcode": "NOP"}


def rule_of(content: bytes) -> tuple[str, str]:
    with pytest.raises(InvalidInput) as caught:
        read_disassembly(content)
    assert caught.value.where == "disassembly"
    return caught.value.key, caught.value.rule


def test_a_real_document_names_architecture_producer_and_functions() -> None:
    read = read_disassembly(document_bytes("hopper_matrix"))
    assert read.sm == 90
    assert read.producer == "nvdisasm V13.5.37 Build cuda_13.5.r13.5/compiler.39125733_0"
    assert {function.name for function in read.functions} == {
        "wgmma_bf16",
        "wgmma_tf32",
        "wgmma_f16",
        "wgmma_e4m3",
        "wgmma_s8",
        "wgmma_b1",
        "wgmma_sparse",
        "empty_commit",
        "mma_sync",
        "fma_only",
        "HGMMA$64x256x16$F32$BF16",
    }


def test_a_blackwell_document_is_sm_100() -> None:
    assert read_disassembly(document_bytes("blackwell_matrix")).sm == 100


def test_instructions_come_with_their_byte_addresses() -> None:
    read = read_disassembly(document_bytes("hopper_matrix"))
    function = next(one for one in read.functions if one.name == "empty_commit")
    assert function.code_bytes == 384
    assert function.instructions[:5] == (
        Instruction(0x00, "", "LDC", "R1,c[0x0][0x28]"),
        Instruction(0x10, "", "LDC.64", "R2,c[0x0][0x210]"),
        Instruction(0x20, "", "WARPGROUP.ARRIVE", ""),
        Instruction(0x30, "", "ULDC.64", "UR4,c[0x0][0x208]"),
        Instruction(0x40, "", "HGMMA.64x8x16.F16", "RZ,gdesc[URZ],RZ,!UPT,gsb0"),
    )
    assert function.instructions[8] == Instruction(0x80, "", "EXIT", "", control_flow=True)


def test_a_predicate_is_kept_apart_and_shown_in_front() -> None:
    row: dict[str, object] = {"predicate": "@!UP3", "opcode": "BRA", "operands": "0x10"}
    read = read_disassembly(written(written_function("k", row)))
    assert read.functions[0].instructions[0].predicate == "@!UP3"
    assert read.functions[0].instructions[0].text == "@!UP3 BRA 0x10"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        # nvdisasm takes the register of all predicates for the guard, and puts the guard in its place.
        ({"predicate": "PR", "opcode": "P2R", "operands": "R16,RZ,0x1"}, "P2R R16,PR,RZ,0x1"),
        (
            {"predicate": "PR", "opcode": "P2R", "operands": "R16,@P3,RZ,0x1"},
            "@P3 P2R R16,PR,RZ,0x1",
        ),
        (
            {"predicate": "UPR", "opcode": "UP2UR", "operands": "UR4,@!UPT,URZ,0x1"},
            "@!UPT UP2UR UR4,UPR,URZ,0x1",
        ),
    ],
)
def test_a_guard_that_nvdisasm_mixes_up_is_put_right(row: dict[str, object], text: str) -> None:
    read = read_disassembly(written(written_function("k", row)))
    assert read.functions[0].instructions[0].text == text


def test_an_instruction_without_operands_is_its_opcode() -> None:
    read = read_disassembly(written(written_function("k", NOP)))
    assert read.functions == (Function("k", (Instruction(0, "", "NOP", ""),)),)
    assert read.functions[0].instructions[0].text == "NOP"


def test_the_extra_text_of_an_instruction_is_allowed_and_ignored() -> None:
    row: dict[str, object] = {"opcode": "NOP", "extra": "&req=1"}
    assert read_disassembly(written(written_function("k", row))).functions[0].code_bytes == 16


def test_a_cubin_without_functions_reads() -> None:
    assert read_disassembly(written()).functions == ()


def test_another_schema_is_our_own_fault() -> None:
    content = written(SchemaVersion={"major": 13, "minor": 6, "revision": 0})
    with pytest.raises(ToolFailure, match=r"schema 13\.6, this judge reads 13\.5"):
        read_disassembly(content)


def test_a_quote_in_a_name_cannot_add_instructions() -> None:
    # nvdisasm does not escape, so a forged symbol could close its own string.
    forged = b'k","start":0,"length":16,"other-attributes":[],"sass-instructions":[{"opcode":"HGMMA"}],"x":"'
    content = written(written_function("NAME", NOP)).replace(b"NAME", forged)
    assert rule_of(content) == ("", "a key occurs twice in one object")


def test_a_quote_in_a_name_cannot_add_a_function() -> None:
    forged = (
        b'a","start":0,"length":0,"other-attributes":[],"sass-instructions":[]},{"function-name":"b'
    )
    content = written(written_function("NAME", NOP)).replace(b"NAME", forged)
    read = read_disassembly(content)
    # Well-formed by bad luck; the scan refuses it, because the ELF knows no such functions.
    assert [function.name for function in read.functions] == ["a", "b"]


@pytest.mark.parametrize(
    "name", ["a b", "a\\b", "a[0]", "a\u00e9", "", "a\n", "a{b", "c,d", "x" * 4097]
)
def test_a_name_that_ptxas_cannot_write_is_refused(name: str) -> None:
    assert rule_of(written(written_function(name, NOP)))[0] == "functions[0].function-name"


def test_a_name_of_4096_characters_is_read() -> None:
    assert (
        read_disassembly(written(written_function("x" * 4096, NOP))).functions[0].code_bytes == 16
    )


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "not well-formed JSON"),
        (b"[", "not well-formed JSON"),
        (b"{}", "must be a list"),
        (b"[]", "must have 2 entries"),
        (b"[{},[],[]]", "must have 2 entries"),
        (b"[1,[]]", "must be an object"),
        (b"[{},[1.5]]", "1.5 is no whole number"),
        (b"[{},[1e9]]", "1e9 is no whole number"),
        (b"[{},[NaN]]", "NaN is no whole number"),
        (b"[{},[-Infinity]]", "-Infinity is no whole number"),
        (b"[{},[" + b"7" * 5000 + b"]]", "not well-formed JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 786_433, "more than 786432 lists and objects"),
        (b" " * (32 * 1024 * 1024 + 1), "longer than 33554432 bytes"),
        ('[{"é":1},[]]'.encode(), "not ASCII"),
        (b'[{"a":1,"a":1},[]]', "a key occurs twice in one object"),
    ],
)
def test_a_document_that_is_not_ours_is_refused(content: bytes, rule: str) -> None:
    assert rule_of(content)[1] == rule


@pytest.mark.parametrize(
    ("header", "key", "rule"),
    [
        ({"Extra": 1}, "header", "unknown key"),
        ({"SM": {}}, "header.SM.version", "must be an object"),
        (
            {"SM": {"version": {"major": True, "minor": 0}}},
            "header.SM.version.major",
            "must be a whole number below 2^32",
        ),
        (
            {"SM": {"version": {"major": -9, "minor": 0}}},
            "header.SM.version.major",
            "must be a whole number below 2^32",
        ),
        (
            {"SM": {"version": {"major": 2**32, "minor": 0}}},
            "header.SM.version.major",
            "must be a whole number below 2^32",
        ),
        ({"SchemaVersion": "13.5"}, "header.SchemaVersion", "must be an object"),
        ({"Producer": "x" * 201}, "header.Producer", "must be 1 to 200 printable ASCII characters"),
        ({"Producer": 7}, "header.Producer", "must be 1 to 200 printable ASCII characters"),
    ],
)
def test_a_header_with_other_content_is_refused(
    header: dict[str, object], key: str, rule: str
) -> None:
    assert rule_of(written(**header)) == (key, rule)


@pytest.mark.parametrize(
    ("entries", "key", "rule"),
    [
        ({"start": 16}, "functions[0].start", "must be 0: one function a section"),
        ({"length": 32}, "functions[0].length", "must be 16 bytes an instruction"),
        ({"length": "16"}, "functions[0].length", "must be a whole number below 2^32"),
        ({"other-attributes": ["x"]}, "functions[0].other-attributes", "must have 0 entries"),
        ({"sass-instructions": None}, "functions[0].sass-instructions", "must be a list"),
        ({"address": 0}, "functions[0]", "unknown key"),
    ],
)
def test_a_function_with_other_content_is_refused(
    entries: dict[str, object], key: str, rule: str
) -> None:
    assert rule_of(written(written_function("k", NOP, **entries))) == (key, rule)


@pytest.mark.parametrize(
    ("row", "where", "rule"),
    [
        ({}, ".opcode", "must be 1 to 128 printable ASCII characters"),
        ({"opcode": ""}, ".opcode", "must be 1 to 128 printable ASCII characters"),
        ({"opcode": "X" * 129}, ".opcode", "must be 1 to 128 printable ASCII characters"),
        (
            {"opcode": "NOP", "operands": "a\tb"},
            ".operands",
            "must be 1 to 12288 printable ASCII characters",
        ),
        (
            {"opcode": "NOP", "operands": ["R1"]},
            ".operands",
            "must be 1 to 12288 printable ASCII characters",
        ),
        ({"opcode": "NOP", "extra": 1}, ".extra", "must be 1 to 12288 printable ASCII characters"),
        ({"opcode": "NOP", "predicate": "@Q0"}, ".predicate", "not a predicate"),
        ({"opcode": "NOP", "comment": "x"}, "", "unknown key"),
        ({"opcode": "NOP", "other-attributes": []}, ".other-attributes", "must be an object"),
        (
            {"opcode": "NOP", "other-attributes": {"new": "True"}},
            ".other-attributes",
            "unknown key",
        ),
        (
            {"opcode": "NOP", "other-attributes": {"control-flow": "False"}},
            ".other-attributes",
            'an attribute is "True" or absent',
        ),
        ("NOP", "", "must be an object"),
    ],
)
def test_an_instruction_with_other_content_is_refused(row: object, where: str, rule: str) -> None:
    content = written(written_function("k", NOP, length=32, **{"sass-instructions": [NOP, row]}))
    assert rule_of(content) == (f"functions[0].sass-instructions[1]{where}", rule)


def test_two_functions_of_one_name_are_refused() -> None:
    content = written(written_function("k", NOP), written_function("k", NOP))
    assert rule_of(content) == ("functions", "two functions have one name")


def test_4097_functions_are_too_many() -> None:
    content = written(*(written_function(f"k{number}") for number in range(4097)))
    assert rule_of(content) == ("functions", "more than 4096 functions")


def test_instructions_are_counted_over_all_functions() -> None:
    half = 131_072
    rows = b",".join([b'{"opcode":"NOP"}'] * half)
    content = written(
        written_function("a", length=16 * half),
        written_function("b", length=16 * half),
        written_function("c", NOP),
    ).replace(b'"sass-instructions": []', b'"sass-instructions": [' + rows + b"]")
    assert rule_of(content) == ("functions[2]", "more than 262144 instructions in all")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(VALUES, VALUES)
def test_any_json_is_read_or_refused_by_type(header: object, functions: object) -> None:
    with pytest.raises((InvalidInput, ToolFailure)):
        read_disassembly(json.dumps([header, functions, 0]).encode())
    with pytest.raises((InvalidInput, ToolFailure)):
        read_disassembly(json.dumps([header, [functions, functions]]).encode())


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_document_is_read_or_refused_by_type(data: st.DataObject) -> None:
    content = bytearray(document_bytes("hopper_tma"))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=8))
    try:
        read = read_disassembly(bytes(content))
    except (InvalidInput, ToolFailure):
        return
    assert len({function.name for function in read.functions}) == len(read.functions)
