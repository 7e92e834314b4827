import gzip
import io
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from tar_files import END, file, gzipped, header, padded, pax, record
from zip_files import Zipped, zipped, zipped64

from portal.uploads.reading.archives import HEAD_BYTES, is_archive, members
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole

LIMITS = Limits()


def contents(archive: bytes, limits: Limits = LIMITS) -> dict[str, bytes]:
    found = members(io.BytesIO(archive), limits, lambda _: True)
    return {one.name: whole(one.stream, 1 << 20, one.name) for one in found}


def test_a_zip_of_pythons_library_gives_its_files_and_no_folders() -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("run")
        archive.writestr("run/plan.json", b'{"plan": []}')
        archive.writestr("run/é.cu", b"// x" * 1000, zipfile.ZIP_STORED)
        archive.writestr("run/empty", b"")

    assert contents(made.getvalue()) == {
        "run/plan.json": b'{"plan": []}',
        "run/é.cu": b"// x" * 1000,
        "run/empty": b"",
    }


def test_a_zip_written_as_a_stream_is_read_with_its_sizes_behind_the_members() -> None:
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, offset: int, whence: int = 0, /) -> int:
            raise io.UnsupportedOperation

    made = Pipe()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"first" * 100)
        with archive.open("b", "w", force_zip64=True) as large:
            large.write(b"second")

    assert contents(made.getvalue()) == {"a": b"first" * 100, "b": b"second"}


def test_a_zip_with_a_comment_and_zip64_fields_is_read() -> None:
    assert contents(zipped(Zipped(b"a", b"text"), comment=b"made by hand")) == {"a": b"text"}
    assert contents(zipped64(Zipped(b"a", b"text"))) == {"a": b"text"}


def test_an_empty_archive_has_no_members() -> None:
    assert contents(zipped()) == {}
    assert contents(gzipped(END)) == {}


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_a_tar_of_pythons_library_is_read_in_every_format(form: int, mode: str) -> None:
    long_name = "run/" + "folder/" * 20 + "exp_000.json"
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode, format=form) as archive:  # type: ignore[call-overload]  # a mode in a variable
        folder = tarfile.TarInfo("run")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in (
            ("./run/plan.json", b"{}"),
            (long_name, b"x" * 700),
            ("run/empty", b""),
        ):
            one = tarfile.TarInfo(name)
            one.size = len(content)
            archive.addfile(one, io.BytesIO(content))

    assert contents(made.getvalue()) == {
        "run/plan.json": b"{}",
        long_name: b"x" * 700,
        "run/empty": b"",
    }


def test_what_the_tar_command_writes_of_the_current_folder_is_read(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/plan.json").write_bytes(b"{}")
    made = subprocess.run(
        ["tar", "czf", "-", "-C", tmp_path, "."], capture_output=True, check=True, timeout=60
    )

    assert contents(made.stdout) == {"run/plan.json": b"{}"}


def test_names_and_sizes_of_extended_headers_count() -> None:
    long_name = b"run/" + b"n" * 300
    gnu = header(b"././@LongLink", 305, kind=b"L") + padded(long_name + b"\0")
    extended = pax(
        record(b"path", "run/é".encode()) + record(b"size", b"3") + record(b"mtime", b"1.5")
    )

    assert contents(gnu + file(b"cut", b"abc") + END) == {long_name.decode(): b"abc"}
    assert contents(extended + header(b"cut", 0) + padded(b"abc") + END) == {"run/é": b"abc"}
    assert contents(pax(record(b"comment", b"abc"), kind=b"g") + file(b"a") + END) == {"a": b""}


def test_a_size_in_binary_and_a_name_in_two_fields_are_understood() -> None:
    binary = header(b"a", size_field=b"\x80" + (3).to_bytes(11, "big")) + padded(b"abc")
    split = header(b"plan.json", 0, prefix=b"run")

    assert contents(binary + split + END) == {"a": b"abc", "run/plan.json": b""}


def test_several_gzip_parts_are_one_stream() -> None:
    content = file(b"a", b"text") + END
    parts = b"".join(gzip.compress(content[at : at + 100]) for at in range(0, len(content), 100))

    assert contents(parts) == {"a": b"text"}


@pytest.mark.parametrize("made", [zipped, lambda *files: gzipped(b"".join(files) + END)])
def test_members_come_in_the_order_of_the_archive_and_only_wanted_ones(made: object) -> None:
    if made is zipped:
        archive = zipped(Zipped(b"z", b"1"), Zipped(b"a", b"2"), Zipped(b"m", b"3"))
    else:
        archive = gzipped(file(b"z", b"1") + file(b"a", b"2") + file(b"m", b"3") + END)

    found = members(io.BytesIO(archive), LIMITS, lambda name: name != "a")

    assert [one.name for one in found] == ["z", "m"]


def test_a_tar_member_cannot_be_read_after_the_next_was_asked_for() -> None:
    found = members(io.BytesIO(file(b"a", b"1") + file(b"b", b"2") + END), LIMITS, lambda _: True)
    first = next(found)
    second = next(found)

    with pytest.raises(ValueError, match="a was read after"):
        first.stream.read(1)
    assert second.stream.read(9) == b"2"


def test_an_archive_is_known_by_its_bytes() -> None:
    assert is_archive(zipped(Zipped(b"a")))
    assert is_archive(zipped())
    assert is_archive(gzipped(b"x"))
    assert is_archive((file(b"a") + END)[:HEAD_BYTES])
    assert not is_archive(b'{"trajectory_format": "mini-swe-agent-1.1"}')
    assert not is_archive(b"")
    assert not is_archive(bytes(HEAD_BYTES))
    assert not is_archive(b"#include <cuda.h>\n" * 100)
