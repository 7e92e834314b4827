from evaluation.core.quoting import counted, on_one_line, printable, quoted


def test_one_of_a_thing_is_not_written_as_many() -> None:
    assert [counted(number, "include") for number in (0, 1, 2)] == [
        "0 includes",
        "1 include",
        "2 includes",
    ]
    assert [counted(number, "launch", many="launches") for number in (1, 3)] == [
        "1 launch",
        "3 launches",
    ]


def test_words_that_are_quoted_already_get_no_quotes_and_stay_on_one_line() -> None:
    assert printable("'look' at '/w/kernel.cu'\nx", limit=40) == "'look' at '/w/kernel.cu'\\nx"
    assert (
        printable("é" * 9, limit=9) == "\\xe9\\xe9\\..."
    )  # two escapes of four characters, and one
    assert printable("abcdef", limit=5) == "abcde..."


def test_a_name_that_holds_quotes_cannot_end_its_own_in_a_line() -> None:
    line = "at " + quoted("k.cu' line '7")
    assert line == "at 'k.cu\\' line \\'7'"
    assert printable(line, limit=40) == line


def test_text_for_a_terminal_stays_on_its_line_and_readable() -> None:
    assert on_one_line("Grüße\n\x1b[31mred\u202e") == "Grüße  [31mred "
