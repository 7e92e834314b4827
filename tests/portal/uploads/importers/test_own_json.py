"""Our own format: the reader and the published schema say the same, and the page's example is one."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from conversations import GEMM, GEMM_WORKLOAD, kernel, troubles

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.own_json import read_own, schema
from portal.uploads.importers.records import (
    Ending,
    Format,
    Layout,
    Place,
    Proposed,
    ReadReported,
    ReadTrajectory,
    Trouble,
    Usage,
)
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits

PAGE = Path(__file__).parents[4] / "docs" / "upload-format.md"
REPORTED = {"status": "PASSED", "correct": True, "speedup": 0.5}


def document(**changes: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "format": "ptxboard-trajectory",
        "version": 1,
        "model": "Demo 1",
        "problem": GEMM,
        "turns": [{"kernel": kernel("a")}],
    }
    return {**whole, **changes}


def with_turn(**turn: object) -> dict[str, object]:
    return document(turns=[turn])


def read(value: object) -> ReadTrajectory:
    return read_own(json.dumps(value).encode(), "t.json", Limits())


def example() -> str:
    found = re.search(r"```json\n(.*?)\n```\n", PAGE.read_text(), re.DOTALL)
    assert found
    return found[1]


def test_the_example_of_the_page_fits_the_schema_and_is_read_whole() -> None:
    value = json.loads(example())
    jsonschema.validate(value, json.loads(schema()))

    found = read(value)

    assert troubles(found) == []
    assert found.proposed == Proposed("Demo 1", "my-harness", "0.3", "high", Language.CUDA)
    assert (found.problem, found.target, found.device) == (GEMM, Target.HOPPER, "H100")
    assert found.layout == Layout(3, 4, 8)
    assert found.place == Place(0, 2, "no-hint")
    assert found.ending is Ending.STOPPED
    first, second, third = found.turns
    assert first.kernel is not None
    assert first.usage == Usage(25000, 9000, 7000, 0.2)
    assert first.at == datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
    assert first.reported == ReadReported(
        "PASSED",
        correct=True,
        speedup=0.812,
        latency_us=920.0,
        reference_us=747.0,
        device="H100",
        workloads=(GEMM_WORKLOAD,),
    )
    assert second.kernel == "__global__ void k();\n"
    assert (third.kernel, third.missing) == (None, Missing.NO_CODE)


def test_the_format_is_recognised() -> None:
    source = source_of_bytes("x", json.dumps(document()).encode())

    importer = importer_for(source, Limits())

    assert importer.name is Format.OWN_JSON
    assert [len(one.turns) for one in importer.read(source, Limits())] == [1]


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(document(), id="only what must be there"),
        pytest.param(document(target=None, harness=None, language=None), id="nulls"),
        pytest.param(document(anything={"else": 1}), id="a key that nobody knows"),
        pytest.param(with_turn(reply="```cpp\nint x;\n```"), id="a reply alone"),
        pytest.param(with_turn(kernel=None, missing="source_missing"), id="a missing source"),
        pytest.param(with_turn(), id="an empty turn"),
        pytest.param(with_turn(kernel="x", reported=REPORTED), id="a result"),
        pytest.param(with_turn(kernel="x", at=1789000000), id="seconds"),
    ],
)
def test_a_document_that_fits_the_schema_is_read_without_trouble(value: object) -> None:
    jsonschema.validate(value, json.loads(schema()))

    assert troubles(read(value)) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(document(version=2), id="another version"),
        pytest.param(document(format="ptxboard"), id="another format"),
        pytest.param(document(model=""), id="no model"),
        pytest.param(document(problem=None), id="no problem"),
        pytest.param(document(turns=[]), id="no turns"),
        pytest.param(document(turns="x"), id="turns as text"),
        pytest.param(document(turns=[7]), id="a turn that is a number"),
        pytest.param(document(target="volta"), id="an unknown target"),
        pytest.param(document(language="hip"), id="an unknown language"),
        pytest.param(document(ending="our_fault"), id="an ending that only we can say"),
        pytest.param(document(harness="x"), id="a harness as text"),
        pytest.param(document(layout={"turns": -1}), id="a negative layout"),
        pytest.param(document(place={"prompt": "0"}), id="a place as text"),
        pytest.param(with_turn(kernel=7), id="a kernel as number"),
        pytest.param(with_turn(missing="lost"), id="an unknown reason"),
        pytest.param(with_turn(kernel="x", reply=[]), id="a reply as list"),
        pytest.param(with_turn(kernel="x", usage={"cost_usd": -1}), id="a negative cost"),
        pytest.param(with_turn(kernel="x", reported={"correct": True}), id="no status"),
        pytest.param(with_turn(kernel="x", reported="PASSED"), id="a result as text"),
        pytest.param(
            with_turn(kernel="x", reported={**REPORTED, "correct": 1}), id="a flag as number"
        ),
    ],
)
def test_a_document_that_does_not_fit_the_schema_is_named(value: object) -> None:
    assert not jsonschema.Draft202012Validator(json.loads(schema())).is_valid(value)

    assert set(troubles(read(value))) & {Trouble.BROKEN_FIELD, Trouble.NOT_A_TRAJECTORY}


def test_a_kernel_given_as_text_counts_before_the_reply() -> None:
    (turn,) = read(with_turn(kernel="int x;\n", reply=f"```cpp\n{kernel('b')}```")).turns

    assert turn.kernel == "int x;\n"


def test_a_kernel_said_to_be_missing_is_not_searched_in_the_reply() -> None:
    (turn,) = read(with_turn(kernel=None, reply=f"```cpp\n{kernel('b')}```")).turns

    assert turn.missing is Missing.NO_CODE


def test_a_broken_turn_leaves_the_others() -> None:
    found = read(document(turns=[{"kernel": 7}, {"kernel": "int x;\n"}]))

    assert [turn.missing for turn in found.turns] == [Missing.UNREADABLE, None]
    assert found.turns[0].problems[0].where == "t.json, turn 1"


def test_the_schema_is_a_schema_itself() -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(schema()))
