"""The environment is read whole: what is right is understood, what is wrong is named, all of it at once."""

from pathlib import Path

import pytest

from portal.env import Environment, WrongEnvironment, read_environment

HOME = {"PTXBOARD_HOME": "/srv/board"}


def read(**words: str) -> Environment:
    return read_environment({**HOME, **words}, uid=1000)


def problems(**words: str) -> list[str]:
    """The lines that name what is wrong."""
    with pytest.raises(WrongEnvironment) as refused:
        read(**words)
    return [line.strip() for line in str(refused.value).splitlines()[1:]]


def test_an_empty_environment_is_a_small_installation_on_this_machine() -> None:
    found = read()
    assert found.database["ENGINE"] == "django.db.backends.sqlite3"
    assert found.database["NAME"] == "/srv/board/ptxboard.sqlite3"
    assert found.secret_key_file == Path("/srv/board/secret-key")
    assert found.allowed_hosts == ("127.0.0.1", "localhost", "[::1]")
    assert (found.debug, found.https, found.proxies, found.sign_up) == (False, False, 0, True)
    assert found.pages_kept == 200
    assert found.mail is None
    assert found.github is None


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    assert read(PTXBOARD_PROXIES="", PTXBOARD_DEBUG="") == read()


def test_lists_are_separated_by_commas() -> None:
    found = read(PTXBOARD_ALLOWED_HOSTS="a.example, b.example,")
    assert found.allowed_hosts == ("a.example", "b.example")


def test_every_problem_is_named_at_once() -> None:
    assert problems(
        PTXBOARD_DEBUG="perhaps",
        PTXBOARD_PROXIES="-1",
        PTXBOARD_TRUSTED_ORIGINS="board.example",
        PTXBOARD_SECRET_KEY="short",
        PTXBOARD_QUEUE="prepare",
        PTXBOARD_PAGES_KEPT="10000",
    ) == [
        "PTXBOARD_DEBUG: 'perhaps' is neither true nor false",
        "PTXBOARD_SECRET_KEY: it has 5 characters; a key has 32 or more",
        "PTXBOARD_QUEUE: 'prepare' is none of portal, portal.reports",
        "PTXBOARD_TRUSTED_ORIGINS: 'board.example' does not begin with http:// or https://",
        "PTXBOARD_PROXIES: '-1' is not a number from 0 to 99",
        "PTXBOARD_PAGES_KEPT: '10000' is not a number from 0 to 9999",
    ]


def test_a_name_that_nobody_knows_is_refused() -> None:
    assert problems(PTXBOARD_DATABSE_URL="x") == ["PTXBOARD_DATABSE_URL: there is no such setting"]


def test_names_of_other_programs_are_left_to_them() -> None:
    assert read(PTXBOARD_GPU="1", PTXBOARD_DEVICE="h200", PATH="/bin") == read()


def test_a_secret_without_its_id_is_refused() -> None:
    assert problems(PTXBOARD_GITHUB_SECRET="s") == [
        "PTXBOARD_GITHUB_ID: missing, while PTXBOARD_GITHUB_SECRET is set"
    ]


def test_no_problem_repeats_a_password() -> None:
    said = problems(
        PTXBOARD_DATABASE_URL="postgresql://u:geheim@h/n?what=1",
        PTXBOARD_MAIL_URL="smtp://u:geheim/more@mail.example",
        PTXBOARD_SECRET_KEY="geheim",
    )
    assert len(said) == 3
    assert "geheim" not in " ".join(said)
