from portal.uploads.reading.refused import Refused, TooLarge, shown


def test_the_sentence_names_the_member() -> None:
    assert Refused("is not JSON", "run/plan.json").sentence == "run/plan.json: is not JSON"
    assert Refused("is not an archive").sentence == "is not an archive"


def test_a_hostile_name_is_shown_as_one_short_line() -> None:
    refused = TooLarge("is large", "a\nb\x1b[31m\u202egnp\u2028" + "x" * 10_000)

    assert refused.sentence.startswith("a\\nb\\x1b[31m\\u202egnp\\u2028xxx")
    assert len(refused.member) == 201
    assert refused.member.endswith("…")


def test_a_name_of_bytes_that_are_no_text_is_shown_escaped() -> None:
    assert shown(b"caf\xe9/\x00") == "caf\\xe9/\\x00"


def test_letters_of_any_script_are_shown_as_they_are() -> None:
    assert shown("ядро é 核 😀") == "ядро é 核 😀"
