"""Whatever the bytes are, they are read or refused: nothing else comes out, and no other exception."""

import io
import json
import math

from hypothesis import given, settings
from hypothesis import strategies as st
from tar_files import END, file, gzipped, header, padded, pax, record
from trickle import drops
from zip_files import Zipped, zipped, zipped64

from portal.uploads.reading.archives import members
from portal.uploads.reading.json_stream import EACH, Json, Wanted, document, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import SHOWN_CHARACTERS, Refused
from portal.uploads.reading.scrub import scrub
from portal.uploads.reading.scrub_json import scrub_json

LIMITS = Limits()
TAR = (
    pax(record(b"path", "run/é.json".encode()))
    + file(b"cut", b"{}")
    + header(b"long", 9, kind=b"L")
    + padded(b"run/a.cu\0")
    + file(b"cut", b"x" * 600)
    + END
)
ARCHIVES = [
    zipped(
        Zipped(b"run/plan.json", b'{"a": [1, 2]}'),
        Zipped(b"run/k.cu", b"__global__" * 50, method=0),
    ),
    zipped64(Zipped(b"run/plan.json", b'{"a": [1, 2]}')),
    TAR,
    gzipped(TAR),
]
DOCUMENT = json.dumps(
    {
        "format": "f",
        "messages": [{"role": "user", "content": "é\n😀\\", "n": [1, -2.5e3, None, True]}] * 2,
    }
).encode()


@st.composite
def mutated(draw: st.DrawFn, originals: list[bytes]) -> bytes:
    """One of the originals with a few bytes changed, put in, left out or repeated."""
    content = bytearray(draw(st.sampled_from(originals)))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(content)))
        end = at + draw(st.integers(0, 12))
        put = draw(st.sampled_from([draw(st.binary(max_size=8)), bytes(content[at:end]) * 2]))
        content[at:end] = put
    return bytes(content)


def read_archive(archive: bytes) -> dict[str, bytes] | None:
    """What is in it, or None when it is refused with a sentence."""
    found: dict[str, bytes] = {}
    try:
        for one in members(io.BytesIO(archive), LIMITS, lambda _: True):
            parts = []
            while part := one.stream.read(100):
                parts.append(part)
            found[one.name] = b"".join(parts)
    except Refused as refused:
        check(refused)
        return None
    return found


def check(refused: Refused) -> None:
    assert 10 < len(refused.sentence) < SHOWN_CHARACTERS + 200
    assert refused.sentence.isprintable()


def read_document(text: bytes) -> tuple[Json] | None:
    try:
        return (document(drops(text, 7), LIMITS, "m"),)
    except Refused as refused:
        check(refused)
        return None


@settings(max_examples=300)
@given(mutated(ARCHIVES))
def test_any_damage_to_an_archive_is_refused_or_harmless(archive: bytes) -> None:
    found = read_archive(archive)

    for name in found or {}:
        assert not name.startswith("/")
        assert ".." not in name.split("/")


@settings(max_examples=150)
@given(mutated([TAR]))
def test_any_damage_to_a_tar_inside_an_intact_gzip_is_refused_or_harmless(tar: bytes) -> None:
    assert read_archive(gzipped(tar)) == read_archive(tar) or read_archive(tar) is None


@settings(max_examples=150)
@given(
    name=st.binary(max_size=100).map(lambda name: name.replace(b"\0", b"")),
    kind=st.binary(min_size=1, max_size=1),
    size_field=st.one_of(st.binary(min_size=12, max_size=12), st.just(b"00000000003\0")),
    magic=st.sampled_from([b"ustar\x0000", b"ustar  \0", bytes(8)]),
    prefix=st.binary(max_size=20),
)
def test_any_header_of_a_tar_with_a_right_checksum_is_read_or_refused(
    name: bytes, kind: bytes, size_field: bytes, magic: bytes, prefix: bytes
) -> None:
    block = header(name, kind=kind, size_field=size_field, magic=magic, prefix=prefix)

    read_archive(file(b"first") + block + padded(b"abc") + END)


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_any_extended_header_is_read_or_refused(content: bytes) -> None:
    read_archive(pax(content) + file(b"a") + END)


@given(st.binary(max_size=2000))
def test_bytes_of_no_kind_are_read_or_refused(content: bytes) -> None:
    read_archive(content)
    read_archive(b"PK\x03\x04" + content)
    read_archive(b"\x1f\x8b\x08\0" + content)
    read_document(content)


@settings(max_examples=400)
@given(mutated([DOCUMENT]))
def test_a_document_that_is_read_says_what_the_library_of_python_reads(text: bytes) -> None:
    found = read_document(text)

    if found is not None:
        assert found == (json.loads(text),)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**90), 10**90),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(st.characters(codec="utf-8", exclude_characters="\0")), inner)
    ),
    max_leaves=20,
)


@settings(max_examples=200)
@given(VALUES, st.booleans(), st.integers(1, 50))
def test_every_value_that_json_can_say_comes_back(
    value: object, ascii_only: bool, size: int
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only).encode()

    assert document(drops(text, size), LIMITS, "m") == value


@given(st.lists(VALUES, max_size=5))
def test_elements_picked_one_by_one_are_those_of_the_whole(values: list[object]) -> None:
    text = json.dumps(values).encode()

    found = list(picked(io.BytesIO(text), [Wanted((EACH,))], LIMITS, "m"))

    assert [one.value for one in found] == values
    assert [one.path for one in found] == [(index,) for index in range(len(values))]


@given(VALUES)
def test_a_scrubbed_document_is_json_and_has_nothing_left_to_scrub(value: object) -> None:
    once, twice = io.BytesIO(), io.BytesIO()
    scrub_json(io.BytesIO(json.dumps(value).encode()), once, LIMITS, "m")

    said = scrub_json(io.BytesIO(once.getvalue()), twice, LIMITS, "m")

    assert said.total == 0
    assert twice.getvalue() == once.getvalue()


KEYS = st.sampled_from(
    [
        "sk-" + "aB3d" * 6,
        "xai-" + "aB3d" * 6,
        "api_key=",
        "password: ",
        '"',
        "Bearer ",
        "://a:b@c",
        "AKIA" + "A1" * 8,
    ]
)


@settings(max_examples=200)
@given(st.lists(st.one_of(KEYS, st.text(max_size=10))).map("".join))
def test_a_scrubbed_text_keeps_its_lines_and_has_nothing_left_to_scrub(text: str) -> None:
    once = scrub(text)

    assert scrub(once.text).total == 0
    assert once.changed == (once.text != text)
    assert once.text.count("\n") <= text.count("\n")


def test_numbers_at_the_edge_of_what_a_float_holds_are_read() -> None:
    assert document(io.BytesIO(b"1.7976931348623157e308"), LIMITS, "m") == 1.7976931348623157e308
    assert math.isfinite(float("1e-999"))
    assert document(io.BytesIO(b"1e-999"), LIMITS, "m") == 0.0
