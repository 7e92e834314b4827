"""The one form of a bundle's archive: made, read back, and refused as soon as one byte is another."""

import io
import struct
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.bundle.container import Members, pack, unpack
from evaluation.core.errors import InvalidInput

TWO: Members = (("a.txt", b"first"), ("b.bin", b"\0\1\2PK\3\4"))
KNOWN = {"a.txt": 100, "b.bin": 100, "c": 0}


def read(content: bytes, most: int = 3) -> Members:
    return unpack(content, where="k.zip", limit_of=KNOWN.get, most=most)


def refused(content: bytes, most: int = 3) -> str:
    with pytest.raises(InvalidInput) as caught:
        read(content, most)
    assert caught.value.where == "k.zip"
    return f"{caught.value.key}: {caught.value.rule}"


def test_what_was_packed_comes_back() -> None:
    assert read(pack(TWO)) == TWO
    assert read(pack(())) == ()


def test_the_bytes_are_those_of_the_format() -> None:
    crc = zlib.crc32(b"hi")
    local = (
        b"PK\3\4" + struct.pack("<HHHHHIIIHH", 10, 0, 0, 0, 0x21, crc, 2, 2, 1, 0) + b"c" + b"hi"
    )
    central = b"PK\1\2" + struct.pack(
        "<HHHHHHIIIHHHHHII", 10, 10, 0, 0, 0, 0x21, crc, 2, 2, 1, 0, 0, 0, 0, 0, 0
    )
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, 47, 33, 0)

    assert pack((("c", b"hi"),)) == local + central + b"c" + end


def test_everyday_tools_read_it() -> None:
    with zipfile.ZipFile(io.BytesIO(pack(TWO))) as archive:
        assert archive.testzip() is None
        assert [(one.filename, archive.read(one)) for one in archive.infolist()] == list(TWO)


@given(content=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for candidate in (content, b"PK\3\4" + content, pack(TWO)[: len(content)] + content):
        try:
            assert pack(read(candidate)) == candidate
        except InvalidInput:
            continue


def test_every_byte_counts() -> None:
    whole = pack(TWO)
    for place in range(len(whole)):
        for mask in (0x01, 0x80, 0xFF):
            changed = bytearray(whole)
            changed[place] ^= mask
            try:
                members = read(bytes(changed))
            except InvalidInput:
                continue
            pytest.fail(f"byte {place} changed by {mask} gave {members}")


def test_a_file_that_ends_too_early_or_too_late_is_refused() -> None:
    whole = pack(TWO)
    for end in range(len(whole)):
        assert refused(whole[:end])
    for more in (b"\0", b"PK\3\4", whole):
        assert refused(whole + more).startswith(": is not what its members are packed to")
        assert refused(more + whole)


def test_a_member_of_another_name_is_refused_by_name() -> None:
    for name in ("../a.txt", "/a.txt", "a.txt/", "A.TXT", "x" * 300):
        assert ", which is no part of a bundle" in refused(pack(((name, b""),)))
    hidden = pack((("a.txt", b""),)).replace(b"a.txt", b"a\xfftxt")
    assert refused(hidden) == r": holds 'a\\xfftxt', which is no part of a bundle"


def test_a_name_that_is_there_twice_is_refused() -> None:
    assert refused(pack((("a.txt", b"1"), ("a.txt", b"2")))) == "a.txt: is there twice"


def test_a_member_over_its_limit_is_refused_before_it_is_kept() -> None:
    assert refused(pack((("c", b"x"),))) == "c: has 1 bytes; at most 0 are read"


def test_more_members_than_allowed_are_refused() -> None:
    assert read(pack(TWO), most=2) == TWO
    assert refused(pack(TWO), most=1) == ": has more than 1 members"


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_compressed_member_is_refused(method: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        archive.writestr("a.txt", b"\0" * 1_000_000)
    assert refused(stream.getvalue()) == "a.txt: is compressed; members are stored as they are"


def test_an_archive_of_another_writer_is_refused_even_if_it_holds_the_same() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in TWO:
            archive.writestr(name, content)
    assert refused(stream.getvalue()).startswith(": is not what its members are packed to")


def test_a_symbolic_link_is_refused() -> None:
    link = zipfile.ZipInfo("a.txt", (1980, 1, 1, 0, 0, 0))
    link.create_system, link.external_attr = 3, 0o120777 << 16
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(link, b"/etc/passwd")
    assert refused(stream.getvalue()).startswith(": is not what its members are packed to")


def test_two_tables_that_disagree_are_refused() -> None:
    """One reader goes by the members, another by the table at the end."""
    whole = pack((("a.txt", b"one"),))
    table = pack((("a.txt", b"two"),))
    cut = whole.index(b"PK\1\2")
    assert refused(whole[:cut] + table[cut:]).startswith(": is not what its members are packed to")


def test_what_is_no_archive_is_refused() -> None:
    for content in (b"", b"hello", b"PK\3\4", b"PK\3\4" + b"\0" * 25):
        assert refused(content)
    assert refused(b"PK\3\4short") == ": ends inside a member"
