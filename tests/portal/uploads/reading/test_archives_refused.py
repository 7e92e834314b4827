import io
import struct
from dataclasses import replace

import pytest
from tar_files import END, file, gzipped, header, padded, pax, record
from zip_files import DEVICE, LINK, Zipped, central, end, local, zipped, zipped64

from portal.uploads.reading.archives import members
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

LIMITS = Limits()


def refusal(archive: bytes, limits: Limits = LIMITS) -> str:
    """The sentence, when every member is wanted and read."""
    with pytest.raises(Refused) as refused:
        _drain(archive, limits)
    return refused.value.sentence


def _drain(archive: bytes, limits: Limits) -> None:
    for one in members(io.BytesIO(archive), limits, lambda _: True):
        while one.stream.read(1 << 20):
            pass


BAD_NAMES = [
    (b"../etc/passwd", "../etc/passwd: leads out of the archive"),
    (b"run/../../x", "run/../../x: leads out of the archive"),
    (b"/etc/passwd", "/etc/passwd: has an absolute name"),
    (b"C:/x", "C:/x: has an absolute name"),
    (b"c:x", "c:x: has an absolute name"),
    (b"run\\x", "run\\x: has a back-slash in its name"),
    (b"run//x", "run//x: has a name with an empty part"),
    (b"run/\x07x", "run/\\x07x: has a control character in its name"),
    ("run/\u2028x".encode(), "run/\\u2028x: has a control character in its name"),
    (b"caf\xe9", "caf\\xe9: has a name that is not UTF-8"),
    (b"x" * 99 + b"\x7f", "x" * 99 + "\\x7f: has a control character in its name"),
]


@pytest.mark.parametrize(("name", "sentence"), BAD_NAMES)
def test_a_bad_name_is_refused_in_a_zip_and_in_a_tar(name: bytes, sentence: str) -> None:
    assert refusal(zipped(Zipped(b"good"), Zipped(name))) == sentence
    assert refusal(gzipped(file(b"good") + file(name) + END)) == sentence


def test_a_bad_name_of_a_member_that_nobody_wants_is_refused_too() -> None:
    found = members(io.BytesIO(zipped(Zipped(b"../x"))), LIMITS, lambda _: False)

    with pytest.raises(Refused, match="leads out"):
        next(found)


def test_a_nul_in_a_name_is_refused() -> None:
    assert "control character" in refusal(zipped(Zipped(b"a\0.cu")))
    assert "control character" in refusal(pax(record(b"path", b"a\0.cu")) + file(b"a") + END)


def test_a_name_that_is_empty_or_too_long_is_refused() -> None:
    assert "without a name" in refusal(zipped(Zipped(b"")))
    assert "without a name" in refusal(file(b"") + END)
    assert "without a name" in refusal(file(b"./") + END)
    assert refusal(header(b"", kind=b"6") + END) == "a member without a name: is a pipe"
    assert "more than 1,024 bytes" in refusal(zipped(Zipped(b"n" * 1025)))
    assert "more than 1,024 bytes" in refusal(pax(record(b"path", b"n" * 1025)) + file(b"a") + END)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("run/a", "run/a"),
        ("run/a", "RUN/A"),
        ("straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),
        ("a", "./a"),
        ("a", "a/"),
        ("a/", "A"),
    ],
)
def test_the_same_name_twice_is_refused_also_in_other_letters(first: str, second: str) -> None:
    one, two = first.encode(), second.encode()

    assert "is there twice" in refusal(zipped(Zipped(one, attributes=0), Zipped(two, attributes=0)))
    assert "is there twice" in refusal(_entry(one) + _entry(two) + END)


def _entry(name: bytes) -> bytes:
    return header(name, kind=b"5" if name.endswith(b"/") else b"0")


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (b"1", "is a hard link"),
        (b"2", "is a link"),
        (b"3", "is a device"),
        (b"4", "is a device"),
        (b"6", "is a pipe"),
        (b"K", "is a link"),
        (b"S", "is a sparse file"),
        (b"M", "is neither a file nor a folder"),
        (b"\xff", "is neither a file nor a folder"),
    ],
)
def test_a_tar_holds_nothing_but_files_and_folders(kind: bytes, why: str) -> None:
    assert refusal(header(b"run/x", kind=kind, link=b"/etc/passwd") + END) == f"run/x: {why}"


def test_a_zip_holds_nothing_but_files_and_folders() -> None:
    assert refusal(zipped(Zipped(b"x", b"/etc/passwd", attributes=LINK))) == "x: is a link"
    assert "neither a file nor a folder" in refusal(zipped(Zipped(b"x", attributes=DEVICE)))
    assert "a folder with content" in refusal(zipped(Zipped(b"x/", b"abc", attributes=0)))


@pytest.mark.parametrize("flags", [0x1, 0x41, 0x2000])
def test_an_encrypted_member_is_refused(flags: int) -> None:
    assert refusal(zipped(Zipped(b"x", b"abc", flags=flags))) == "x: is encrypted"


def test_a_compression_that_is_not_understood_is_refused() -> None:
    assert "x: is compressed by method 12" in refusal(zipped(Zipped(b"x", b"abc", method=12)))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"PK",
        b"BZh9" + bytes(600),
        b"\xfd7zXZ\x00" + bytes(600),
        bytes(2048),
        b"x" * 4096,
    ],
    ids=["empty", "json", "two letters", "bzip2", "xz", "zeros", "text"],
)
def test_what_is_no_archive_is_refused(content: bytes) -> None:
    assert refusal(content) == "the file is no zip, tar or tar.gz archive"


def test_a_gzip_file_of_something_else_than_a_tar_is_refused() -> None:
    assert refusal(gzipped(b"__global__ void k() {}\n" * 100)) == "the gzip file holds no tar file"
    assert refusal(gzipped(b"short")) == "the gzip file holds no tar file"


BIG = Zipped(b"x", bytes(20 << 20))


def test_a_zip_whose_directory_admits_a_bomb_is_refused_before_anything_expands() -> None:
    bomb = zipped(BIG)
    assert len(bomb) < 25_000

    found = members(io.BytesIO(bomb), LIMITS, lambda _: False)

    with pytest.raises(Refused, match="expands to more than 200 times its size"):
        next(found)


def test_a_zip_member_that_expands_further_than_it_says_is_refused_while_it_is_read() -> None:
    liar = zipped(replace(BIG, said_expanded=10))
    (one,) = members(io.BytesIO(liar), LIMITS, lambda _: True)

    with pytest.raises(Refused, match="x: expands to more than the directory"):
        one.stream.read(1 << 20)


def test_an_archive_that_expands_beyond_the_limit_is_refused() -> None:
    small = Limits(expanded_bytes=2000)

    assert "expands to more than 2,000 bytes" in refusal(zipped(Zipped(b"x", b"a" * 2001)), small)
    assert "expands to more than 2,000 bytes" in refusal(
        gzipped(file(b"x", b"a" * 600) + END), small
    )


def test_a_gzip_bomb_is_refused_while_it_expands() -> None:
    assert "expands to more than 200 times" in refusal(gzipped(file(b"x", bytes(20 << 20)) + END))


def test_zeros_after_the_end_of_a_tar_are_no_way_around_the_limits() -> None:
    assert "expands to more than 200 times" in refusal(gzipped(file(b"x") + bytes(20 << 20)))


def test_too_many_members_are_refused() -> None:
    few = Limits(members=2)
    three = [Zipped(b"a"), Zipped(b"b"), Zipped(b"c")]

    assert refusal(zipped(*three), few) == "the archive has more than 2 members"
    tar = b"".join(file(one.name) for one in three) + END
    assert refusal(tar, few) == "the archive has more than 2 members"
    assert "more extended headers" in refusal(pax(record(b"a", b"b")) * 7 + file(b"a") + END, few)


def test_an_archive_beyond_its_size_is_refused_unread() -> None:
    assert refusal(b"x" * 11, Limits(archive_bytes=10)) == "the archive is larger than 10 bytes"


def test_too_many_gzip_parts_are_refused() -> None:
    assert "more than 3 parts" in refusal(gzipped(b"") * 4, Limits(gzip_parts=3))


@pytest.mark.parametrize("cut", [1, 10, 21, 22, 60])
def test_a_zip_that_is_cut_off_is_refused(cut: int) -> None:
    assert "cut off" in refusal(zipped(Zipped(b"a", b"text"), Zipped(b"b", b"more"))[:-cut])


def test_a_tar_that_is_cut_off_anywhere_is_refused() -> None:
    content = file(b"a", b"x" * 700)

    for size in (512, 600, 1100, 1536, 1600):
        assert "cut off" in refusal((content + END)[:size])
    packed = gzipped(content + END)
    for size in (12, 40, len(packed) - 8, len(packed) - 1):
        assert "cut off" in refusal(packed[:size])


def test_a_wrong_checksum_is_refused() -> None:
    assert "x: does not have the checksum" in refusal(zipped(Zipped(b"x", b"abc", said_checksum=1)))
    packed = bytearray(gzipped(file(b"x") + END))
    packed[-5] ^= 1
    assert refusal(bytes(packed)) == "the gzip file is damaged"
    block = bytearray(file(b"x") + file(b"y") + END)
    block[512] ^= 1
    assert "a header has a wrong checksum" in refusal(bytes(block))


def test_damaged_compression_is_refused() -> None:
    assert refusal(zipped(Zipped(b"x", b"abc", packed=b"\xff\xff\xff"))) == "x: is damaged"
    assert "x: is cut off" in refusal(zipped(Zipped(b"x", b"abc", packed=b"\x4b\x4c")))
    whole = Zipped(b"x", b"abc").compressed
    assert "x: goes on after its end" in refusal(zipped(Zipped(b"x", b"abc", packed=whole + b"?")))
    assert "x: is shorter than" in refusal(zipped(Zipped(b"x", b"abc", said_expanded=4)))
    assert "two sizes" in refusal(zipped(Zipped(b"x", b"abc", method=0, said_expanded=4)))


def test_bytes_after_the_end_are_refused() -> None:
    assert "no end" in refusal(zipped(Zipped(b"x")) + b"more")
    assert "goes on after its end" in refusal(gzipped(file(b"x") + END) + b"more")
    assert "goes on after its end" in refusal(file(b"x") + END + file(b"y"))


def test_a_zip_with_two_ends_or_two_directories_is_refused() -> None:
    inner = zipped(Zipped(b"evil"))

    assert "more than one end" in refusal(zipped(Zipped(b"good"), comment=inner))
    body = local(Zipped(b"a"))
    directory = central(Zipped(b"a"), 0)
    assert "not where its end says" in refusal(
        body + directory + b"gap" + end(1, len(directory), len(body))
    )
    assert "lists other members" in refusal(
        body + 2 * directory + end(1, 2 * len(directory), len(body))
    )
    assert "is damaged" in refusal(body + directory + end(2, len(directory), len(body)))


def test_members_that_share_bytes_are_refused() -> None:
    kernel = Zipped(b"a", b"x" * 1000, method=0)
    body = local(kernel)
    twice = central(kernel, 0) + central(replace(kernel, name=b"b"), 0)
    assert "overlaps" in refusal(body + twice + end(2, len(twice), len(body)))

    # The better kind of bomb: the first member's content holds the headers of all others, each up to the one kernel.
    quoted = local(Zipped(b"b", b"y" * 1000))
    outer = Zipped(b"a", quoted, method=0)
    inside_at = len(local(outer)) - len(quoted)
    listed = central(outer, 0) + central(Zipped(b"b", b"y" * 1000), inside_at)
    assert "overlaps" in refusal(local(outer) + listed + end(2, len(listed), len(local(outer))))


def test_a_zip_member_whose_own_header_disagrees_is_refused() -> None:
    assert "x: is another member" in refusal(zipped(Zipped(b"x", b"abc", local_name=b"y")))
    assert "x: is not where" in refusal(_misplaced())


def _misplaced() -> bytes:
    """A member said to begin four bytes after it does, with room behind it."""
    body = local(Zipped(b"x", b"abc")) + bytes(16)
    directory = central(Zipped(b"x", b"abc"), 4)
    return body + directory + end(1, len(directory), len(body))


def test_zip64_fields_that_lie_are_refused() -> None:
    one = Zipped(b"a", b"text")

    assert "zip64 record of the zip file is damaged" in refusal(zipped64(one, record_size=45))
    assert "directory of the zip file is damaged" in refusal(zipped64(one, members=2))
    assert "more than 50,000 members" in refusal(zipped64(one, members=1 << 40))
    assert "a: has no size in its zip64 field" in refusal(zipped64(one, extra=b""))
    short = struct.pack("<HHQ", 1, 8, 4)
    assert "a: has no size in its zip64 field" in refusal(zipped64(one, extra=short))
    far = struct.pack("<HHQQQ", 1, 24, 4, len(one.compressed), 1 << 60)
    assert "a: overlaps" in refusal(zipped64(one, extra=far))
    huge = struct.pack("<HHQQQ", 1, 24, 1 << 60, len(one.compressed), 0)
    assert "expands to more than" in refusal(zipped64(one, extra=huge))
    content = bytearray(zipped64(one))
    content[-22 + 8 : -22 + 12] = b"\x07\x00\x07\x00"
    assert "contradicts" in refusal(bytes(content))


def test_a_split_zip_is_refused() -> None:
    content = bytearray(zipped(Zipped(b"a")))
    content[-22 + 4] = 1

    assert "one part of a split one" in refusal(bytes(content))


def test_extended_headers_that_lie_are_refused() -> None:
    assert "PaxHeaders/0: has an extended header of more than 65,536 bytes" in refusal(
        pax(b"x" * 65_537) + file(b"a") + END
    )
    for damaged in (b"5 a\n", b"99 a=b\n", b"6 a=bc", b"a=b\n", b"0 a=b\n"):
        assert "a damaged extended header" in refusal(pax(damaged) + file(b"a") + END)
    assert "is a sparse file" in refusal(pax(record(b"GNU.sparse.major", b"1")) + file(b"a") + END)
    assert "one name or size" in refusal(pax(record(b"path", b"b"), kind=b"g") + file(b"a") + END)
    assert "no number" in refusal(pax(record(b"size", b"-1")) + file(b"a") + END)
    assert "no number" in refusal(pax(record(b"size", b"9" * 5000)) + file(b"a") + END)
    assert "leads out" in refusal(pax(record(b"path", b"../x")) + file(b"a") + END)
    assert "cut off" in refusal(pax(record(b"size", b"9" * 15)) + file(b"a") + END)


def test_a_tar_size_that_is_no_number_is_refused() -> None:
    assert "no number" in refusal(header(b"a", size_field=b"12x4567890\0\0") + END)
    assert "no number" in refusal(header(b"a", size_field=b"\xff" * 12) + END)
    assert "cut off" in refusal(header(b"a", size_field=b"\x80" + b"\x7f" * 11) + END)
    assert "a folder with content" in refusal(header(b"a/", 5, kind=b"5") + padded(b"abcde") + END)
