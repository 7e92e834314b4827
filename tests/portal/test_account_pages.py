"""Pages on which people keep their account: each can be reached, and says what stands beside which field."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client
from pytest_django import Settings
from submission_steps import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(client: Client) -> Client:
    account = person("ada@example.org")
    EmailAddress.objects.create(user=account, email="ada@example.org", primary=True, verified=True)
    EmailAddress.objects.create(user=account, email="lovelace@example.org")
    client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return client


def page(client: Client, address: str) -> str:
    return " ".join(client.get(address).content.decode().split())


def test_every_page_leads_to_the_account_and_the_account_to_its_password(ada: Client) -> None:
    assert 'href="/accounts/email/"' in page(ada, "/models/")
    assert 'href="/accounts/password/change/"' in page(ada, "/accounts/email/")


def test_addresses_are_told_apart_by_words(ada: Client) -> None:
    found = page(ada, "/accounts/email/")
    assert 'ada@example.org, the one we write to, <span class="good">verified</span>' in found
    assert 'lovelace@example.org, <span class="open">not verified</span>' in found


def test_an_address_can_be_added_and_taken_away_there(ada: Client) -> None:
    added = {"email": "countess@example.org", "action_add": ""}
    assert ada.post("/accounts/email/", added).status_code == 302
    assert "countess@example.org" in page(ada, "/accounts/email/")
    removed = {"email": "lovelace@example.org", "action_remove": ""}
    assert ada.post("/accounts/email/", removed).status_code == 302
    assert "lovelace@example.org" not in set(EmailAddress.objects.values_list("email", flat=True))


def test_what_helps_with_a_field_stands_after_it_and_belongs_to_it(client: Client) -> None:
    found = page(client, "/accounts/signup/")
    field = found.index('id="id_password1"')
    assert 'aria-describedby="id_password1_helptext"' in found[:field] + found[field : field + 300]
    assert found.index('id="id_password1_helptext"') > field


@pytest.mark.parametrize(
    ("address", "heading", "button"),
    [
        ("/accounts/login/", "Sign in", "Sign in"),
        ("/accounts/signup/", "Make an account", "Make it"),
        ("/accounts/password/reset/", "Forgotten password", "Send the link"),
    ],
)
def test_a_page_for_who_has_not_signed_in_speaks_as_the_others_do(
    client: Client, address: str, heading: str, button: str
) -> None:
    found = page(client, address)
    assert f"<h1>{heading}</h1>" in found
    assert f'<button type="submit">{button}</button>' in found


def test_who_asks_for_a_page_of_their_own_goes_on_to_it_after_signing_in(client: Client) -> None:
    person("ada@example.org")
    asked = client.get("/submissions/", follow=True)
    assert 'name="next" value="/submissions/"' in " ".join(asked.content.decode().split())
    form = {
        "login": "ada@example.org",
        "password": "correct horse battery",
        "next": "/submissions/",
    }
    assert client.post("/accounts/login/", form).headers["Location"] == "/submissions/"


def test_asking_for_another_password_does_not_say_whether_there_is_an_account(
    client: Client,
) -> None:
    person("ada@example.org")
    said = [
        client.post("/accounts/password/reset/", {"email": one}, follow=True).content.decode()
        for one in ("ada@example.org", "nobody@example.org")
    ]
    assert all("If there is an account of that address" in one for one in said)


def test_a_link_leads_to_another_password_once(
    client: Client, mailoutbox: list[EmailMessage]
) -> None:
    person("ada@example.org")
    client.post("/accounts/password/reset/", {"email": "ada@example.org"})
    found = re.search(r"/accounts/password/reset/key/\S+", str(mailoutbox[0].body))
    assert found is not None
    form = client.get(found[0], follow=True)
    assert "<h1>Choose a password</h1>" in form.content.decode()
    other = {"password1": "tunnel of glass horses", "password2": "tunnel of glass horses"}
    changed = client.post(form.redirect_chain[-1][0], other, follow=True).content.decode()
    assert "The password was changed" in changed
    again = Client().get(found[0], follow=True).content.decode()
    assert "<h1>This link no longer holds</h1>" in again


def test_an_address_is_verified_by_who_has_its_link(
    ada: Client, mailoutbox: list[EmailMessage]
) -> None:
    ada.post("/accounts/email/", {"email": "lovelace@example.org", "action_send": ""})
    found = re.search(r"/accounts/confirm-email/\S+", str(mailoutbox[0].body))
    assert found is not None
    assert "Is lovelace@example.org yours" in page(ada, found[0])
    ada.post(found[0])
    assert EmailAddress.objects.get(email="lovelace@example.org").verified


@pytest.mark.parametrize(
    ("address", "heading"),
    [
        ("/accounts/confirm-email/", "A link was sent"),
        ("/accounts/confirm-email/nothing/", "Verify an address"),
        ("/accounts/inactive/", "This account is closed"),
    ],
)
def test_what_ends_somewhere_says_where(client: Client, address: str, heading: str) -> None:
    assert f"<h1>{heading}</h1>" in page(client, address)


def test_a_site_that_makes_no_accounts_says_so(client: Client, settings: Settings) -> None:
    settings.SIGN_UP = False
    assert "<h1>No new accounts</h1>" in page(client, "/accounts/signup/")


def test_a_wrong_password_is_said_at_the_form(client: Client) -> None:
    answer = client.post("/accounts/login/", {"login": "ada@example.org", "password": "wrong"})
    assert "not correct" in answer.content.decode()
