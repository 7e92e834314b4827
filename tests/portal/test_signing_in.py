"""Signing up, in and out by address and password, and what the pages then know of the visitor."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory
from pytest_django import Settings

from evaluation.selectors import ANYONE, Viewer
from portal.accounts.models import User
from portal.accounts.viewers import viewer

PASSWORD = "correct horse battery staple"

pytestmark = pytest.mark.django_db


def sign_up(client: Client, address: str, password: str = PASSWORD) -> int:
    form = {"email": address, "password1": password, "password2": password}
    return client.post("/accounts/signup/", form).status_code


def sign_in(client: Client, address: str, password: str = PASSWORD) -> int:
    return client.post("/accounts/login/", {"login": address, "password": password}).status_code


def test_who_signs_up_is_signed_in_and_can_come_back(client: Client) -> None:
    assert sign_up(client, "ada@example.org") == 302
    assert "ada@example.org" in client.get("/").content.decode()
    client.post("/accounts/logout/")
    assert "ada@example.org" not in client.get("/").content.decode()
    assert sign_in(client, "ADA@example.org") == 302
    assert "ada@example.org" in client.get("/").content.decode()


def test_a_link_does_not_sign_anybody_out(client: Client) -> None:
    sign_up(client, "ada@example.org")
    client.get("/accounts/logout/")
    assert "ada@example.org" in client.get("/").content.decode()


def test_a_wrong_password_signs_nobody_in(client: Client) -> None:
    sign_up(client, "ada@example.org")
    client.post("/accounts/logout/")
    assert sign_in(client, "ada@example.org", "correct horse battery") == 200
    assert "_auth_user_id" not in client.session


def test_a_password_that_is_easy_to_guess_is_refused(client: Client) -> None:
    assert sign_up(client, "ada@example.org", "password1") == 200
    assert not User.objects.exists()


def test_the_name_of_an_account_does_not_give_its_address_away(client: Client) -> None:
    sign_up(client, "ada@example.org")
    account = User.objects.get()
    assert account.username == account.owner == str(account.uid)


def test_a_site_that_is_closed_makes_no_account(client: Client, settings: Settings) -> None:
    settings.SIGN_UP = False
    sign_up(client, "ada@example.org")
    assert not User.objects.exists()


def test_an_account_without_a_sign_up_can_sign_in(client: Client) -> None:
    User.objects.create_user("demo", email="demo@example.org", password=PASSWORD)
    assert sign_in(client, "demo@example.org") == 302


def test_staff_who_guess_a_password_too_often_wait(client: Client) -> None:
    User.objects.create_superuser("root", email="root@example.org", password=PASSWORD)

    def sign_in_as_staff(password: str) -> int:
        form = {"username": "root@example.org", "password": password}
        return client.post("/admin/login/", form).status_code

    assert [sign_in_as_staff(f"wrong {n}") for n in range(5)] == [200, 200, 200, 200, 429]
    assert sign_in_as_staff(PASSWORD) == 429


def test_staff_sign_in_by_their_address(client: Client) -> None:
    User.objects.create_superuser("root", email="root@example.org", password=PASSWORD)
    form = {"username": "root@example.org", "password": PASSWORD, "next": "/admin/"}
    assert client.post("/admin/login/", form).status_code == 302
    assert client.get("/admin/").status_code == 200


def test_a_visitor_sees_what_anybody_sees() -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    assert viewer(request) == ANYONE


def test_an_account_sees_its_own_and_staff_see_everything() -> None:
    request = RequestFactory().get("/")
    request.user = User(uid="6f9619ff-8b86-4d01-b42d-00cf4fc964ff", is_staff=True)
    assert viewer(request) == Viewer(
        owners=frozenset({"6f9619ff-8b86-4d01-b42d-00cf4fc964ff"}), staff=True
    )
