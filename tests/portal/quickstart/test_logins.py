"""Demo logins: random, kept in a private file, and read back or refused."""

from pathlib import Path

import pytest

from portal.quickstart import logins
from portal.quickstart.logins import Login
from portal.quickstart.state_folder import Unusable


def test_there_is_one_for_an_author_and_one_for_staff_with_passwords_of_their_own() -> None:
    author, staff = logins.fresh()
    assert (author.role, author.email) == ("author", "author@example.org")
    assert (staff.role, staff.email) == ("staff", "staff@example.org")
    assert len({author.password, staff.password, *(one.password for one in logins.fresh())}) == 4
    assert len(author.password) >= 16


def test_what_is_written_is_for_its_owner_alone_and_is_read_back(tmp_path: Path) -> None:
    made = (
        Login("author", "author@example.org", "one"),
        Login("staff", "staff@example.org", "two"),
    )
    logins.write(tmp_path / "logins", made)
    text = (tmp_path / "logins").read_text()
    assert text == "author author@example.org one\nstaff staff@example.org two\n"
    assert (tmp_path / "logins").stat().st_mode & 0o777 == 0o600
    assert logins.read(tmp_path / "logins") == made


def test_there_are_none_where_there_is_no_file(tmp_path: Path) -> None:
    assert logins.read(tmp_path / "logins") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "author a@example.org one\n",
        "author a b\nstaff c\n",
        "a b c\nd e f\n",
        "author a b\nstaff c d\ne\n",
    ],
    ids=["empty", "one", "no_password", "other_roles", "more"],
)
def test_a_file_that_holds_something_else_is_refused_by_name(tmp_path: Path, text: str) -> None:
    (tmp_path / "logins").write_text(text)
    with pytest.raises(Unusable, match=r"/logins does not hold the demo logins; remove it"):
        logins.read(tmp_path / "logins")
