"""Pages on which people keep their account: each can be reached, and says what stands beside which field."""

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
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


def test_a_wrong_password_is_said_at_the_form(client: Client) -> None:
    answer = client.post("/accounts/login/", {"login": "ada@example.org", "password": "wrong"})
    assert "not correct" in answer.content.decode()
