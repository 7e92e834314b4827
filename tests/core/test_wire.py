from dataclasses import dataclass
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core import wire
from evaluation.core.errors import InvalidInput


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Leaf:
    colour: Colour
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("size is negative")


@dataclass(frozen=True, slots=True)
class Tree:
    name: str
    leaves: tuple[Leaf, ...]
    place: tuple[int, int]
    height: float
    note: str | None
    age: str | int
    tall: bool


TREE = Tree("oak", (Leaf(Colour.RED, 1),), (3, 4), 2.5, None, 7, tall=True)
JSON = (
    b'{"age":7,"height":2.5,"leaves":[{"colour":"red","size":1}],"name":"oak","note":null,'
    b'"place":[3,4],"tall":true}'
)


def refusal(content: bytes, **limits: int) -> str:
    with pytest.raises(InvalidInput) as caught:
        wire.decode(Tree, content, where="tree.json", **limits)
    return str(caught.value)


def test_a_record_is_written_with_sorted_keys_and_no_spaces() -> None:
    assert wire.encode(TREE) == JSON


def test_what_was_written_reads_back_equal() -> None:
    assert wire.decode(Tree, JSON, where="tree.json") == TREE


def test_a_whole_number_serves_where_a_float_is_wanted() -> None:
    assert wire.decode(Tree, JSON.replace(b"2.5", b"2"), where="t").height == 2.0


def test_text_serves_where_text_or_a_number_is_wanted() -> None:
    assert wire.decode(Tree, JSON.replace(b'"age":7', b'"age":"x"'), where="t").age == "x"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"name":"oak"', b'"name":5', "tree.json: name: must be str, not int"),
        (b'"tall":true', b'"tall":1', "tree.json: tall: must be bool, not int"),
        (b'"size":1', b'"size":true', "tree.json: leaves[0].size: must be int, not bool"),
        (b'"size":1', b'"size":-1', "tree.json: leaves[0]: size is negative"),
        (b'"red"', b'"pink"', "tree.json: leaves[0].colour: must be one of red, blue"),
        (b'"red"', b'["red"]', "tree.json: leaves[0].colour: must be one of red, blue"),
        (b"[3,4]", b"[3]", "tree.json: place: must have 2 items, not 1"),
        (b"[3,4]", b"3", "tree.json: place: must be a list, not int"),
        (b'"age":7', b'"age":[]', "tree.json: age: must be str or int, not list"),
        (b'"note":null', b'"note":3', "tree.json: note: must be str, not int"),
        (b'"note":null,', b"", "tree.json: note: is missing"),
        (b'"tall":true', b'"tall":true,"x":1', "tree.json: x: is not a key of this record"),
        (b'"tall":true', b'"tall":true,"tall":true', "tree.json: tall: is given twice"),
        (b"2.5", b"NaN", "tree.json: holds NaN; numbers must be finite"),
        (b"2.5", b"-Infinity", "tree.json: holds -Infinity; numbers must be finite"),
        (b"2.5", b"1e999", "tree.json: holds 1e999; numbers must be finite"),
        (b'{"colour":"red","size":1}', b"1", "tree.json: leaves[0]: must be an object, not int"),
    ],
)
def test_a_wrong_document_is_refused_with_its_place_and_rule(
    old: bytes, new: bytes, message: str
) -> None:
    assert old in JSON
    assert refusal(JSON.replace(old, new)) == message


def test_bytes_that_are_no_json_are_refused() -> None:
    assert refusal(b"{").startswith("tree.json: is not JSON:")
    assert refusal(b'{"a":"\xff"}').startswith("tree.json: is not JSON:")
    assert refusal(b"1" * 5000).startswith("tree.json: is not JSON:")


@pytest.mark.parametrize("place", [b'"height":%s', b'"age":%s', b'"place":[3,%s]'])
@pytest.mark.parametrize("sign", [b"", b"-"])
def test_an_integer_that_no_float_can_hold_is_refused_and_none_overflows(
    place: bytes, sign: bytes
) -> None:
    old = {b'"h': b'"height":2.5', b'"a': b'"age":7', b'"p': b'"place":[3,4]'}[place[:2]]
    for digits in (b"1" + b"0" * 39, b"9" * 4000):
        assert "is larger than any number of a record" in refusal(
            JSON.replace(old, place % (sign + digits))
        )


def test_the_largest_integer_is_read() -> None:
    content = JSON.replace(b'"age":7', b'"age":%d' % 2**128).replace(b"2.5", b"%d" % -(2**128))
    assert wire.decode(Tree, content, where="t").age == 2**128


def test_a_key_that_comes_twice_is_found_among_very_many_at_once() -> None:
    """Counting each name among all others takes hours here."""
    many = b",".join(b'"%x":0' % number for number in range(500_000))
    with pytest.raises(InvalidInput, match="ffff: is given twice"):
        wire.parse(b"{" + many + b',"ffff":0}', where="t")


def test_a_document_over_the_limit_is_not_parsed() -> None:
    assert refusal(JSON, limit_bytes=10) == f"tree.json: has {len(JSON)} bytes; at most 10 are read"


def test_a_deep_document_is_refused_before_the_parser_sees_it() -> None:
    assert refusal(b"[" * 1_000_000) == "tree.json: is nested deeper than 12 levels"


def test_brackets_inside_strings_are_not_nesting() -> None:
    assert wire.depth(b'["[[[\\"[[",{"]":1}]') == 2


def test_only_records_and_plain_values_can_be_written() -> None:
    with pytest.raises(TypeError, match="set is no part of a record"):
        wire.encode({1})


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        wire.decode(Tree, content, where="t")
    except InvalidInput as refused:
        assert refused.where == "t"
