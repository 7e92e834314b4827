"""Tokens are made and revoked on a page, shown once, kept as a hash, and end."""

import re
from datetime import timedelta

import pytest
from django.core import serializers
from django.test import Client
from django.utils import timezone
from submission_steps import person

from portal.accounts.models import User
from portal.api.models import Scope, Token

pytestmark = pytest.mark.django_db
FORM = {"name": "my agent", "scope": "submit", "days": "30"}


@pytest.fixture
def ada(client: Client) -> User:
    account = person()
    client.force_login(account)
    return account


def asked_with(token: str) -> int:
    return (
        Client().get("/api/v1/submissions", headers={"Authorization": f"Token {token}"}).status_code
    )


def test_a_token_is_shown_once_and_works(client: Client, ada: User) -> None:
    response = client.post("/tokens/", FORM)
    found = re.search(r"<code class=\"hash\">(ptxb_[0-9a-f]{64})</code>", response.content.decode())
    assert found is not None
    assert "no-store" in response["Cache-Control"]
    assert asked_with(found[1]) == 200
    page = client.get("/tokens/").content.decode()
    assert found[1] not in page
    assert "my agent" in page


def test_only_a_hash_of_it_is_kept(client: Client, ada: User) -> None:
    page = client.post("/tokens/", FORM).content.decode()
    token = page.split('<code class="hash">')[1].split("<")[0]
    rows = serializers.serialize("json", Token.objects.all())
    assert token not in rows
    assert token[20:] not in rows


def test_a_revoked_token_opens_nothing(client: Client, ada: User) -> None:
    row, token = Token.objects.make(
        ada, name="a", scope=Scope.READ, ends_at=timezone.now() + timedelta(days=1)
    )
    assert asked_with(token) == 200
    client.post(f"/tokens/{row.uid}/revoke/")
    assert asked_with(token) == 401


def test_a_token_ends(ada: User) -> None:
    _, token = Token.objects.make(
        ada, name="a", scope=Scope.READ, ends_at=timezone.now() - timedelta(seconds=1)
    )
    assert asked_with(token) == 401


def test_a_token_of_an_account_that_was_closed_opens_nothing(ada: User) -> None:
    ends_at = timezone.now() + timedelta(days=1)
    _, token = Token.objects.make(ada, name="a", scope=Scope.READ, ends_at=ends_at)
    User.objects.update(is_active=False)
    assert asked_with(token) == 401


def test_nobody_revokes_or_sees_anothers_token(client: Client, ada: User) -> None:
    bob = person("bob@example.org")
    ends_at = timezone.now() + timedelta(days=1)
    row, token = Token.objects.make(bob, name="bobs own", scope=Scope.READ, ends_at=ends_at)
    assert client.post(f"/tokens/{row.uid}/revoke/").status_code == 404
    assert "bobs own" not in client.get("/tokens/").content.decode()
    assert asked_with(token) == 200


@pytest.mark.parametrize(
    "wrong", [{"name": ""}, {"scope": "admin"}, {"days": "366"}, {"days": "0"}]
)
def test_a_token_has_a_name_a_scope_and_an_end(
    client: Client, ada: User, wrong: dict[str, str]
) -> None:
    assert client.post("/tokens/", FORM | wrong).status_code == 400
    assert not Token.objects.exists()


def test_an_account_has_so_many_tokens(client: Client, ada: User) -> None:
    for _ in range(20):
        assert client.post("/tokens/", FORM).status_code == 200
    assert "revoke one first" in client.post("/tokens/", FORM).content.decode()
    assert Token.objects.count() == 20


def test_a_form_from_another_site_makes_and_revokes_nothing(ada: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post("/tokens/", FORM).status_code == 403
    assert not Token.objects.exists()
