"""The format of an upload is told by what is in it, and a single kernel is what is left."""

import json

import pytest
from conversations import kernel, passed, trajectory, wrote
from run_directories import SMALL, as_zip, members

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language
from portal.uploads.importers.detect import importer_for, importers
from portal.uploads.importers.records import Format, Layout, ReadTrajectory
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

MINI = json.dumps(trajectory(wrote("a"), passed())).encode()
SOURCE = kernel("a").encode()
TRITON = b"import triton\n@triton.jit\ndef k(): pass\ndef run(a): pass\n"
LIMITS = Limits()


def one_kernel(name: str, content: bytes, limits: Limits = LIMITS) -> ReadTrajectory:
    source = source_of_bytes(name, content)
    importer = importer_for(source, limits)
    assert importer.name is Format.SINGLE_KERNEL
    (found,) = importer.read(source, limits)
    return found


def test_every_format_has_one_importer() -> None:
    assert sorted(one.name for one in importers()) == sorted(Format)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        pytest.param("kernel.cu", MINI, Format.MINI_SWE_AGENT, id="a trajectory called a kernel"),
        pytest.param("a.json", SOURCE, Format.SINGLE_KERNEL, id="a kernel called json"),
        pytest.param("a.cu", as_zip(members(SMALL)), Format.RUN_DIRECTORY, id="a zip called cu"),
        pytest.param("a", b"\n \t" + MINI, Format.MINI_SWE_AGENT, id="white space before"),
        pytest.param(
            "a", b'{"spec": 1, "sources": [], "definition": 2}', Format.FLASHINFER, id="keys"
        ),
    ],
)
def test_the_name_of_an_upload_says_nothing(name: str, content: bytes, expected: Format) -> None:
    assert importer_for(source_of_bytes(name, content), LIMITS).name is expected


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        pytest.param(b"", "empty", id="nothing"),
        pytest.param(b"{}", "this JSON document is no", id="an empty object"),
        pytest.param(
            b'{"format": "ptx\\nboard"}',
            r"its format is 'ptx\\nboard', ours is 'ptxboard-trajectory'$",
            id="a format of a like name",
        ),
        pytest.param(b'{"a": 1}\n{"a": 2}\n', "JSON lines are no", id="lines of something"),
        pytest.param(
            as_zip(iter([("a.txt", b"x")])), "the archive holds none of", id="a zip of text"
        ),
    ],
)
def test_an_upload_of_no_format_is_refused_with_a_sentence(content: bytes, sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        importer_for(source_of_bytes("upload", content), LIMITS)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"PK\x03\x04" + b"\0" * 100, id="a zip"),
        pytest.param(b'{"a": ', id="JSON"),
        pytest.param(b"\xef\xbb\xbf{}", id="JSON behind a byte order mark"),
    ],
)
def test_a_broken_upload_is_refused(content: bytes) -> None:
    with pytest.raises(Refused):
        importer_for(source_of_bytes("upload", content), LIMITS)


@pytest.mark.parametrize(
    ("name", "content", "language"),
    [
        pytest.param("k.cu", SOURCE, Language.CUDA, id="a cu file"),
        pytest.param("k.py", TRITON, Language.TRITON, id="a py file"),
        pytest.param("paste", TRITON, Language.TRITON, id="Triton by its text"),
        pytest.param("paste", SOURCE, Language.CUDA, id="CUDA by its text"),
    ],
)
def test_a_single_kernel_is_one_turn_of_its_language(
    name: str, content: bytes, language: Language
) -> None:
    found = one_kernel(name, content)

    assert found.proposed.language is language
    assert found.layout == Layout(1, 1, 1)
    assert [turn.kernel for turn in found.turns] == [content.decode()]


@pytest.mark.parametrize(
    ("content", "missing"),
    [
        pytest.param(b"// \xff\n", Missing.UNREADABLE, id="another encoding"),
        pytest.param(b"// \0\n", Missing.UNREADABLE, id="a NUL"),
        pytest.param(b"  \n", Missing.NO_CODE, id="only white space"),
        pytest.param(b"x" * 101, Missing.TOO_LARGE, id="one byte too many"),
        pytest.param(b"x" * 100, None, id="as large as allowed"),
    ],
)
def test_a_file_that_is_no_kernel_says_why(content: bytes, missing: Missing | None) -> None:
    found = one_kernel("k.cu", content, Limits(kernel_bytes=100))

    assert found.turns[0].missing is missing


def test_a_single_kernel_with_a_key_is_kept_scrubbed() -> None:
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4" * 2

    (turn,) = one_kernel("k.cu", f'// mine: "{key}"\n'.encode() + SOURCE).turns

    assert turn.missing is Missing.SCRUBBED
    assert key not in repr(turn)
    assert [found.where for found in turn.secrets] == ["line 1"]
