import io
import itertools

import pytest
from trickle import Made, drops

from portal.uploads.reading.json_stream import EACH, Json, Picked, Wanted, document, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused, TooLarge

LIMITS = Limits()


def read(text: bytes, limits: Limits = LIMITS) -> Json:
    return document(io.BytesIO(text), limits, "plan.json")


def refusal(text: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Refused) as refused:
        read(text, limits)
    return refused.value.sentence


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b"null", None),
        (b" true ", True),
        (b"[false]", [False]),
        (b"-0", 0),
        (b"12", 12),
        (b"[1.5, -2e3, 0.25E+2]", [1.5, -2000.0, 25.0]),
        (b'""', ""),
        (b'"\\"\\\\\\/\\b\\f\\n\\r\\t"', '"\\/\b\f\n\r\t'),
        (b'"\\u00e9 \\ud83d\\ude00"', "é 😀"),
        ('"é — 😀"'.encode(), "é — 😀"),
        (b"{}", {}),
        (b"[ ]", []),
        (b'{"a": {"b": [1, {"c": null}]}, "d": []}', {"a": {"b": [1, {"c": None}]}, "d": []}),
        (b"[[[]], [[], {}]]", [[[]], [[], {}]]),
    ],
)
def test_a_document_is_built_as_it_says(text: bytes, value: Json) -> None:
    assert read(text) == value


def test_integers_stay_integers_and_other_numbers_are_floats() -> None:
    built = read(b"[3, 3.0, 9007199254740993]")

    assert isinstance(built, list)
    assert [type(one) for one in built] == [int, float, int]
    assert built[2] == 9007199254740993


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_document_that_arrives_in_pieces_is_the_same(size: int) -> None:
    text = b' {"k\\u00e9y" : [ 12.5e1 , "a\\n\\ud83d\\ude00" , true ] , "z": {} } \n'

    assert document(drops(text, size), LIMITS, "m") == {"kéy": [125.0, "a\n😀", True], "z": {}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "ends before the document does"),
        (b"   ", "ends before the document does"),
        (b'{"a": 1', "ends before the document does"),
        (b'["abc', "ends inside a string"),
        (b"[1,]", "no value where one belongs"),
        (b'{"a": 1,}', "comma before the end of an object"),
        (b'{"a" 1}', "is not JSON"),
        (b"{1: 2}", "is not JSON"),
        (b"[1 2]", "is not JSON"),
        (b"[1}", "closes an array as an object"),
        (b'{"a": 1]', "closes an array as an object"),
        (b"]", "no value where one belongs"),
        (b"nul", "is not JSON"),
        (b"truefalse", "is not JSON"),
        (b"01", "is not JSON"),
        (b"1.", "is not JSON"),
        (b"+1", "is not JSON"),
        (b".5", "is not JSON"),
        (b"0x10", "is not JSON"),
        (b"'a'", "is not JSON"),
        (b"/* c */ 1", "is not JSON"),
        (b"NaN", "NaN or Infinity"),
        (b"[Infinity]", "NaN or Infinity"),
        (b'{"a": -Infinity}', "NaN or Infinity"),
        (b"1e999", "too large to be kept"),
        (b"[-1E+400]", "too large to be kept"),
        pytest.param(b"9" * 5000, "a number of more than 100 characters", id="5000 digits"),
        (b"1,", "goes on after the end of the document"),
        (b'"a" ]', "goes on after the end of the document"),
        (b"true}", "goes on after the end of the document"),
        (b"{} {}", "goes on after the end of the document"),
        (b"1\x00", "goes on after the end of the document"),
        pytest.param(
            b"{}" + b" " * 500 + b"x", "goes on after the end of the document", id="far behind"
        ),
        (b"\xef\xbb\xbf{}", "byte order mark"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b'["ok", "\xed\xa0\x80"]', "not UTF-8 at byte 8"),
        (b'"\xc3', "not UTF-8 at byte 1"),
        ('{"a": 1}'.encode("utf-16"), "not UTF-8 at byte 0"),
        (b'"a\x00b"', "NUL in a string"),
        (b'"\\u0000"', "NUL in a string"),
        (b"\x00", "has a NUL byte"),
        (b'"\\ud800"', "half of a surrogate pair"),
        (b'"\\uD83D\\u0041"', "half of a surrogate pair"),
        (b'"\\udc00\\ud800"', "half of a surrogate pair"),
        (b'"\\x41"', "an escape in a string that JSON has not"),
        (b'"\\u12g4"', "an escape in a string that JSON has not"),
        (b'"a\nb"', "a control character in a string"),
        (b'{"a": 1, "b": 2, "a": 3}', "the same key twice"),
        (b'{"a": 1, "\\u0061": 3}', "the same key twice"),
        (b'{"\\ud800": 1}', "half of a surrogate pair"),
        pytest.param(
            b'{"' + b"k" * 4097 + b'": 1}', "a key of more than 4,096 bytes", id="long key"
        ),
    ],
)
def test_what_is_not_strict_json_is_refused_with_the_reason_and_the_member(
    text: bytes, why: str
) -> None:
    sentence = refusal(text)

    assert sentence.startswith("plan.json: ")
    assert why in sentence


def test_the_same_fault_is_named_wherever_the_bytes_are_cut() -> None:
    with pytest.raises(Refused, match="half of a surrogate pair"):
        document(drops(b'{"a": "\\ud83d\\ud83d"}'), LIMITS, "m")
    with pytest.raises(Refused, match="not UTF-8 at byte 7"):
        document(drops(b'{"a": "\xe2\x28\xa1"}'), LIMITS, "m")


def test_equal_keys_in_different_objects_are_no_duplicates() -> None:
    assert read(b'{"a": {"a": 1}, "b": {"a": 2}}') == {"a": {"a": 1}, "b": {"a": 2}}


def test_depth_64_is_read_and_depth_65_is_refused() -> None:
    assert read(b"[" * 64 + b"]" * 64)
    assert "nested deeper than 64" in refusal(b"[" * 65 + b"]" * 65)
    assert "nested deeper than 64" in refusal(b'{"a":' * 65 + b"1" + b"}" * 65)


def test_every_limit_is_inclusive() -> None:
    # An array of three numbers is five events; the text is seven bytes.
    assert read(b"[1,2,3]", Limits(json_events=5, document_bytes=7)) == [1, 2, 3]
    assert "more than 4 JSON events" in refusal(b"[1,2,3]", Limits(json_events=4))
    assert read(b'"abc"', Limits(string_bytes=3)) == "abc"
    assert "a string of more than 2 bytes" in refusal(b'"abc"', Limits(string_bytes=2))
    assert "more than 1 keys" in refusal(b'{"a":1,"b":1}', Limits(open_keys=1))
    with pytest.raises(TooLarge, match="larger than 6 bytes"):
        read(b"[1,2,3]", Limits(document_bytes=6))


def test_a_value_that_would_fill_the_memory_is_refused() -> None:
    small = Limits(picked_bytes=10_000)

    assert "memory" in refusal(b"[" + b"{}," * 100 + b"1]", small)
    assert "memory" in refusal(b'["' + b"x" * 10_000 + b'"]', small)
    assert read(b"[" + b"1," * 100 + b"1]", small)


TRAJECTORY = b"""{
  "format": "f-1",
  "info": {"stats": {"cost": 0.5}, "config": {"api": "secret", "name": "m"}, "more": [1, 2]},
  "messages": [
    {"role": "user", "content": "task", "extra": {"response": {"choices": [{"x": 1}]}}},
    {"role": "assistant", "content": ["part"], "extra": {"event": "evaluation", "response": {"usage": {"n": 3}}}},
    {"content": "only"}
  ]
}"""


def test_only_wanted_parts_are_given_in_the_order_of_the_document_with_their_paths() -> None:
    wanted = [
        Wanted(
            ("messages", EACH), keep=(("role",), ("extra", "event"), ("extra", "response", "usage"))
        ),
        Wanted(("info",), keep=(("stats",), ("config", "name"))),
        Wanted(("format",)),
        Wanted(("absent", EACH)),
    ]

    assert list(picked(io.BytesIO(TRAJECTORY), wanted, LIMITS, "m")) == [
        Picked(("format",), "f-1"),
        Picked(("info",), {"stats": {"cost": 0.5}, "config": {"name": "m"}}),
        Picked(("messages", 0), {"role": "user", "extra": {"response": {}}}),
        Picked(
            ("messages", 1),
            {
                "role": "assistant",
                "extra": {"event": "evaluation", "response": {"usage": {"n": 3}}},
            },
        ),
        Picked(("messages", 2), {}),
    ]


def test_a_value_of_another_type_than_the_path_expects_is_given_as_it_is() -> None:
    wanted = [Wanted(("a",), keep=(("b", "c"), ("d", EACH, "e")))]
    text = b'{"a": {"b": "text", "d": [{"e": 1, "f": 2}, 7]}}'

    assert list(picked(io.BytesIO(text), wanted, LIMITS, "m")) == [
        Picked(("a",), {"b": "text", "d": [{"e": 1}, 7]})
    ]


def test_a_fault_in_a_part_that_nobody_wants_refuses_the_document_all_the_same() -> None:
    reading = picked(io.BytesIO(b'{"a": 1, "b": [1e999]}'), [Wanted(("a",))], LIMITS, "m")

    assert next(reading) == Picked(("a",), 1)
    with pytest.raises(Refused, match="too large to be kept"):
        next(reading)


def test_a_stream_without_end_is_read_no_further_than_the_limit() -> None:
    endless = itertools.repeat(b" " * 65_536)

    with pytest.raises(TooLarge):
        document(Made(endless), Limits(document_bytes=1 << 20), "m")
