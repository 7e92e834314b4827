from evaluation.core.quoting import counted


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
