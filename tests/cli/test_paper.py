import io

import pytest
from cli_run import obeys_nothing

from evaluation.cli.paper import Paper, clean


class Screen(io.StringIO):
    """A stream that says it is a terminal, and fails if its size is asked for."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        pytest.fail("the size of this terminal is nobody's business")


def written(text: str, *, indent: str, first: str | None = None) -> list[str]:
    stream = io.StringIO()
    Paper(stream).wrapped(text, indent=indent, first=first)
    return stream.getvalue().splitlines()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Grüße, 世界", "Grüße, 世界"),
        ("a\tb", "a       b"),
        ("\x1b[31mred", "\ufffd[31mred"),
        ("one\ntwo\rthree", "one\ufffdtwo\ufffdthree"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("\u2066hidden\u2069", "\ufffdhidden\ufffd"),
        ("zero\u200bwidth", "zero\ufffdwidth"),
        ("\x9b2J", "\ufffd2J"),
        ("\u2028\u2029", "\ufffd\ufffd"),
        ("\ue000\udcff\U000e0041", "\ufffd\ufffd\ufffd"),
    ],
)
def test_text_keeps_its_letters_and_loses_what_a_terminal_would_obey(text: str, shown: str) -> None:
    assert clean(text) == shown
    assert obeys_nothing(clean(text))


def test_wrapped_text_hangs_below_its_label() -> None:
    assert written("word " * 40, indent="      ", first="  ab  ") == [
        "  ab  " + " ".join(["word"] * 23),
        "      " + " ".join(["word"] * 17),
    ]


def test_a_label_without_text_stands_alone() -> None:
    assert written("", indent="      ", first="  ab  ") == ["  ab"]


def test_a_word_that_fits_no_line_is_broken_and_not_lost() -> None:
    lines = written("x" * 300, indent="    ")
    assert "".join(line.strip() for line in lines) == "x" * 300
    assert max(map(len, lines)) == 120


def test_a_label_that_leaves_no_room_gets_a_line_of_its_own() -> None:
    label = "l" * 110
    assert written("some words that follow it", indent="  ", first=f"{label}  ") == [
        label,
        "  some words that follow it",
    ]


def test_what_is_piped_has_no_pending_line_and_no_style() -> None:
    stream = io.StringIO()
    paper = Paper(stream)
    paper.pending("working")
    paper.line(paper.style("done", "good", "bold"))
    assert stream.getvalue() == "done\n"


def test_a_style_on_a_terminal_ends_where_its_text_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    paper = Paper(Screen())
    assert paper.style("done", "good", "bold") == "\x1b[32;1mdone\x1b[0m"
    assert paper.style("done") == "done"


def test_styles_take_no_room_when_text_is_wrapped() -> None:
    first = "  \x1b[32mok\x1b[0m  "
    lines = written("word " * 40, indent="      ", first=first)
    assert lines[0] == first + " ".join(["word"] * 23)
