"""The command line on terminals: colours, the line that is replaced, sizes, and commands that it must not pass on."""

import re
from pathlib import Path

import pytest
from cli_run import obeys_nothing
from program import ASKED, Shown, command, on_terminal

STYLE = re.compile(r"\x1b\[[0-9;]*m")
ERASE = "\r\x1b[2K"
JUDGE = ("judge", "kernel.cu", *ASKED)


def judged(folder: Path, scenario: str = "honest", *words: str, **terminal: object) -> Shown:
    return on_terminal(folder, *command(scenario, *JUDGE, *words), **terminal)  # type: ignore[arg-type]


def rows(text: str) -> list[str]:
    """What stands on the screen in the end, row by row, without styles."""
    return [
        STYLE.sub("", line.rpartition(ERASE)[2]) for line in text.removesuffix("\n").split("\n")
    ]


def test_a_terminal_sees_each_stage_while_it_runs_and_then_its_result_in_place(
    tmp_path: Path,
) -> None:
    shown = judged(tmp_path)
    assert shown.code == 3
    for stage in ("policy", "build", "record", "scan"):
        assert f"{ERASE}  {stage:<7} ..." in shown.text
    assert "..." not in "\n".join(rows(shown.text))
    assert rows(shown.text)[3] == "  build   ok    1.0 s  compiled for sm_90a"


def test_good_news_is_green_and_bad_news_is_red(tmp_path: Path) -> None:
    assert "\x1b[32mok  \x1b[0m" in judged(tmp_path).text
    assert "\x1b[31mno  \x1b[0m" in judged(tmp_path, "hostile").text


@pytest.mark.parametrize(
    ("more", "coloured"), [({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)]
)
def test_no_color_is_heeded_when_it_is_not_empty(
    tmp_path: Path, more: dict[str, str], coloured: bool
) -> None:
    text = judged(tmp_path, **more).text
    assert bool(STYLE.search(text)) is coloured
    assert ERASE in text


def test_a_dumb_terminal_gets_plain_lines(tmp_path: Path) -> None:
    shown = judged(tmp_path, TERM="dumb")
    assert shown.code == 3
    assert obeys_nothing(shown.text)
    assert "..." not in shown.text


@pytest.mark.parametrize("columns", [40, 60])
@pytest.mark.parametrize("scenario", ["honest", "hostile"])
def test_lines_of_ours_fit_a_narrow_terminal(tmp_path: Path, scenario: str, columns: int) -> None:
    shown = judged(tmp_path, scenario, columns=columns)
    ours = [row for row in rows(shown.text) if not row.startswith("    ")]
    assert max(map(len, ours)) <= columns
    assert "compiled for sm_90a" in shown.text or scenario == "hostile"


def test_a_terminal_too_narrow_for_any_layout_still_gets_every_word(tmp_path: Path) -> None:
    shown = judged(tmp_path, columns=10)
    assert shown.code == 3
    words = " ".join(rows(shown.text)).split()
    assert " ".join(words).count("needs a GPU;") == 3


def test_a_terminal_that_does_not_know_its_size_is_taken_for_80_columns(tmp_path: Path) -> None:
    shown = judged(tmp_path, rows=0, columns=0)
    assert shown.code == 3
    assert 60 < max(map(len, rows(shown.text))) <= 80


def test_nothing_that_a_compiler_was_made_to_say_reaches_the_terminal_as_a_command(
    tmp_path: Path,
) -> None:
    shown = judged(tmp_path, "hostile")
    assert shown.code == 20
    assert "owned" in shown.text
    assert obeys_nothing("\n".join(rows(shown.text)))


def test_a_failure_of_ours_stands_on_a_line_of_its_own(tmp_path: Path) -> None:
    shown = judged(tmp_path, "our_failure")
    assert shown.code == 70
    assert rows(shown.text)[-3:] == [
        "  build   ??           the judge failed here, not the kernel; there is no verdict",
        "ptxboard: the disk is full",
        "          make room",
    ]


def test_a_message_is_wrapped_for_a_terminal(tmp_path: Path) -> None:
    shown = on_terminal(tmp_path, *command("honest", "problems", "softmax"), columns=60)
    assert shown.code == 65
    assert len(rows(shown.text)) > 3
    assert max(map(len, rows(shown.text))) <= 60


def test_with_json_the_terminal_s_last_line_is_the_document(tmp_path: Path) -> None:
    shown = judged(tmp_path, "honest", "--json")
    (document,) = rows(shown.text)
    assert document.startswith('{"correct":"unknown"')
