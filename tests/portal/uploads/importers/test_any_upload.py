"""Whatever bytes come in, an upload is read or refused with a sentence; nothing else happens."""

import json

import pytest
from conversations import failed, passed, trajectory, wrote
from hypothesis import given, settings
from hypothesis import strategies as st
from run_directories import RunShape, as_tar_gz, as_zip, members

from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.importers.understood import understood
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

TINY = RunShape(trajectories=1, turns=1, kernel_characters=50, pack_characters=40)
MINI = json.dumps(trajectory(wrote("a"), failed(), wrote("b"), passed())).encode()
OWN = (
    b'{"format": "ptxboard-trajectory", "version": 1, "model": "m", "problem": "p", "turns": [{}]}'
)
ATIF = (
    b'{"schema_version": "ATIF-v1.7", "agent": {}, "steps": [{"source": "agent", "tool_calls": [{"tool_call_id":'
    b' "c", "arguments": {"command": "ptxbench eval k.cu --json"}}], "observation": {"results": [{"source_call_id":'
    b' "c", "content": "{}"}]}}]}'
)
SOLUTION = (
    b'{"name": "n", "definition": "d", "spec": {"language": "cuda"}, "sources": [{"content": "x"}]}'
)
SAMPLES = (MINI, OWN, ATIF, SOLUTION, as_zip(members(TINY)), as_tar_gz(members(TINY)), b"int x;\n")
LIMITS = Limits(expanded_bytes=1 << 24)


def use(content: bytes) -> None:
    source = source_of_bytes("upload", content)
    try:
        understood(importer_for(source, LIMITS).read(source, LIMITS), {})
    except Refused as refused:
        assert refused.sentence


@pytest.mark.parametrize("content", SAMPLES, ids=range(len(SAMPLES)))
def test_every_sample_is_read(content: bytes) -> None:
    source = source_of_bytes("upload", content)

    found = understood(importer_for(source, LIMITS).read(source, LIMITS), {})

    assert found.turns >= 1


@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), min_size=1, max_size=4),
    st.floats(0, 1),
)
@settings(max_examples=300)
def test_a_damaged_upload_is_read_or_refused(
    content: bytes, changes: list[tuple[float, bytes]], keep: float
) -> None:
    damaged = bytearray(content)
    for place, written in changes:
        at = int(place * len(damaged))
        damaged[at : at + len(written)] = written
    use(bytes(damaged[: 1 + int(keep * len(damaged))]) if keep > 0.5 else bytes(damaged))


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def _paths(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path, *(found for key, one in inner for found in _paths(one, (*path, key)))]


def _changed(value: object, path: tuple[str | int, ...], new: object) -> object:
    if not path:
        return new
    if isinstance(value, dict):
        return {
            key: _changed(one, path[1:], new) if key == path[0] else one
            for key, one in value.items()
        }
    assert isinstance(value, list)
    return [
        _changed(one, path[1:], new) if key == path[0] else one for key, one in enumerate(value)
    ]


@given(st.sampled_from((MINI, OWN, ATIF, SOLUTION)), st.floats(0, 0.999), _JSON)
@settings(max_examples=300)
def test_a_document_with_any_value_in_any_place_is_read_or_refused(
    content: bytes, place: float, new: object
) -> None:
    value = json.loads(content)
    paths = _paths(value)
    changed = _changed(value, paths[int(place * len(paths))], new)

    use(json.dumps(changed).encode())
