import json
from dataclasses import replace

import pytest
from cubin_files import Cubin, Kernel, Variable, parameter
from library_files import Library

from evaluation.core import wire
from evaluation.core.binary import facts_json
from evaluation.core.binary.cubin import read_cubin
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.binary.facts_json import CubinAnswer, LibraryAnswer, Refusal
from evaluation.core.binary.library import read_library
from evaluation.core.errors import InvalidInput

CUBIN = bytes(
    Cubin(
        (Kernel("k", records=parameter(0, 0, 8), parameter_bytes=8),),
        variables=(Variable("größe", ".nv.global", 0, 4),),
        externs=("vprintf",),
        sizes={".nv.global": 4},
    )
    .build()
    .content
)
LIBRARY = bytes(Library().build().content)


def cubin_facts() -> CubinFacts:
    return read_cubin(CUBIN)


def library_facts() -> LibraryFacts:
    return read_library(LIBRARY)


def test_facts_survive_the_way_out_of_the_jail() -> None:
    assert facts_json.cubin_facts(facts_json.answer("cubin", CUBIN)) == cubin_facts()
    assert facts_json.library_facts(facts_json.answer("library", LIBRARY)) == library_facts()


def test_a_refusal_of_the_reader_arrives_as_one() -> None:
    with pytest.raises(InvalidInput) as caught:
        facts_json.cubin_facts(facts_json.answer("cubin", LIBRARY))
    assert (caught.value.where, caught.value.key) == ("cubin", "header")
    assert caught.value.rule == "is not a linked CUDA image"
    with pytest.raises(InvalidInput) as caught:
        facts_json.library_facts(facts_json.answer("library", b"text"))
    assert (caught.value.where, caught.value.rule) == (
        "library",
        "the file is shorter than an ELF header",
    )


def test_an_answer_of_neither_facts_nor_refusal_is_refused() -> None:
    for document in (wire.encode(CubinAnswer(None, None)), wire.encode(LibraryAnswer(None, None))):
        with pytest.raises(InvalidInput, match="neither facts nor a refusal"):
            facts_json.cubin_facts(document)


def test_long_refusals_are_cut() -> None:
    document = wire.encode(LibraryAnswer(None, Refusal("k" * 1000, "r" * 1000)))
    with pytest.raises(InvalidInput) as caught:
        facts_json.library_facts(document)
    assert (caught.value.key, caught.value.rule) == ("k" * 400, "r" * 400)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        (replace(cubin_facts(), sm=-1), "facts.sm: is no unsigned 64-bit number"),
        (replace(cubin_facts(), global_bytes=1 << 64), "facts.global_bytes: is no unsigned"),
        (replace(cubin_facts(), externs=("a" * 4097,)), "facts.externs: is too long"),
        (replace(cubin_facts(), externs=("\x1b[0m",)), "facts.externs: is too long or cannot"),
        (replace(cubin_facts(), externs=("a",) * 16_385), "facts.externs: has more than 16384"),
        (
            replace(cubin_facts(), functions=(replace(cubin_facts().functions[0], name="\n"),)),
            "facts.functions.name: is too long or cannot be printed",
        ),
    ],
)
def test_facts_that_no_reader_would_state_are_refused(changed: CubinFacts, rule: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        facts_json.cubin_facts(wire.encode(CubinAnswer(changed, None)))
    assert f"{caught.value.key}: {caught.value.rule}".startswith(rule)


def test_library_facts_are_checked_as_well() -> None:
    changed = replace(library_facts(), syscall_sites=-1)
    with pytest.raises(InvalidInput, match=r"facts\.syscall_sites"):
        facts_json.library_facts(wire.encode(LibraryAnswer(changed, None)))


@pytest.mark.parametrize(
    ("document", "rule"),
    [
        (b"", "is not JSON"),
        (b"[" * 100, "nested deeper"),
        (b'{"facts":null}', "is missing"),
        (b'{"facts":null,"refusal":null,"more":1}', "is not a key"),
        (b'{"facts":null,"facts":null,"refusal":null}', "given twice"),
        (b'{"facts":{"sm":NaN},"refusal":null}', "finite"),
        (b" " * ((8 << 20) + 1), "has 8388609 bytes"),
    ],
)
def test_a_document_that_no_reader_of_ours_wrote_is_refused(document: bytes, rule: str) -> None:
    with pytest.raises(InvalidInput, match=rule):
        facts_json.cubin_facts(document)


def test_a_truth_value_is_no_number_and_a_number_no_truth_value() -> None:
    plain = json.loads(facts_json.answer("cubin", CUBIN))
    plain["facts"]["sm"] = True
    with pytest.raises(InvalidInput, match=r"facts\.sm: must be int"):
        facts_json.cubin_facts(json.dumps(plain).encode())
    plain = json.loads(facts_json.answer("library", LIBRARY))
    plain["facts"]["relro"] = 1
    with pytest.raises(InvalidInput, match=r"facts\.relro: must be bool"):
        facts_json.library_facts(json.dumps(plain).encode())
