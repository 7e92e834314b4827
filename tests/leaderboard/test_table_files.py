"""Tables as files: numbers in full, nothing that a spreadsheet would run."""

import csv
import io
import json
from dataclasses import dataclass

import pytest

from leaderboard.exports.table import Column, Table, Value


@dataclass(frozen=True, slots=True)
class Line:
    name: str
    value: Value


COLUMNS = [Column[Line]("name", lambda one: one.name), Column[Line]("value", lambda one: one.value)]


def written(*lines: Line, ending: str) -> str:
    table = Table("lines", {"page": "http://testserver/"}, COLUMNS, lines)
    return b"".join(table.pieces(ending)).decode()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (7, "7"),
        (-0.1, "-0.1"),
        (1 / 3, "0.3333333333333333"),
        ("", ""),
        ("plain", "plain"),
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),  # wide
        ("\u3000=1", "'\u3000=1"),  # after a wide space
        ("\xa0 -1", "'\xa0 -1"),
        ("\ufeff=1", "'\ufeff=1"),  # after the mark of a byte order
        ("\u202e\u200b+1", "'\u202e\u200b+1"),
        ("\x00@SUM(A1)", "'\x00@SUM(A1)"),
        ("\u3000a=1", "\u3000a=1"),
        ("a=1", "a=1"),
    ],
    ids=str,
)
def test_a_cell_of_csv_is_a_number_in_full_or_a_text_that_no_spreadsheet_runs(
    value: Value, cell: str
) -> None:
    (_, (_, found)) = csv.reader(io.StringIO(written(Line("one", value), ending="csv"), newline=""))
    assert found == cell


def test_csv_begins_with_the_names_and_quotes_what_would_break_a_row() -> None:
    text = written(Line('a "b", c', "two\nlines"), ending="csv")
    assert text == 'name,value\r\n"a ""b"", c","two\nlines"\r\n'


def test_json_says_which_table_it_is_and_keeps_texts_as_they_are() -> None:
    text = written(Line("=1", None), Line("\u202e", 0.1), ending="json")
    assert json.loads(text) == {
        "table": "lines",
        "schema": 1,
        "page": "http://testserver/",
        "rows": [{"name": "=1", "value": None}, {"name": "\u202e", "value": 0.1}],
    }


def test_a_table_without_rows_has_its_names_in_csv_and_an_empty_list_in_json() -> None:
    assert written(ending="csv") == "name,value\r\n"
    assert json.loads(written(ending="json"))["rows"] == []
