"""Accounts of the demo logins: there from the first start, and left alone afterwards."""

from pathlib import Path

import pytest
from django.test import Client

from portal.accounts.models import User
from portal.quickstart import logins
from portal.quickstart.demo_accounts import keep_accounts

pytestmark = pytest.mark.django_db


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "logins"


def accounts() -> dict[str, bool]:
    return dict(User.objects.order_by("email").values_list("email", "is_staff"))


def passwords(path: Path) -> dict[str, str]:
    return {one.email: one.password for one in logins.read(path) or ()}


def test_the_first_start_makes_an_author_and_staff_that_can_sign_in(path: Path) -> None:
    keep_accounts(path)
    assert accounts() == {"author@example.org": False, "staff@example.org": True}
    for email, password in passwords(path).items():
        answer = Client().post("/accounts/login/", {"login": email, "password": password})
        assert (answer.status_code, answer["Location"]) == (302, "/")


def test_a_second_start_changes_nothing(path: Path) -> None:
    keep_accounts(path)
    before = (passwords(path), list(User.objects.order_by("pk").values("pk", "uid", "password")))
    keep_accounts(path)
    after = (passwords(path), list(User.objects.order_by("pk").values("pk", "uid", "password")))
    assert before == after


def test_a_password_that_somebody_changed_stays(path: Path) -> None:
    keep_accounts(path)
    author = User.objects.get(email="author@example.org")
    author.set_password("my own")
    author.save()
    keep_accounts(path)
    author.refresh_from_db()
    assert author.check_password("my own")


def test_where_the_file_was_lost_both_accounts_get_new_passwords(path: Path) -> None:
    keep_accounts(path)
    before = passwords(path)
    path.unlink()
    keep_accounts(path)
    assert passwords(path).keys() == before.keys()
    for email, password in passwords(path).items():
        assert password != before[email]
        assert User.objects.get(email=email).check_password(password)


def test_where_the_database_was_lost_the_accounts_come_back_with_the_file_s_passwords(
    path: Path,
) -> None:
    keep_accounts(path)
    User.objects.all().delete()
    keep_accounts(path)
    for email, password in passwords(path).items():
        assert User.objects.get(email=email).check_password(password)
