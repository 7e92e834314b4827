"""Accounts: who a person is to the rest of the product."""

import pytest
from django.db import IntegrityError, connection

from portal.accounts.models import User


@pytest.mark.django_db
def test_two_accounts_do_not_share_an_address_whatever_its_case() -> None:
    User.objects.create_user("one", email="Ada@example.org")
    with pytest.raises(IntegrityError):
        User.objects.create_user("two", email="ada@example.org")


@pytest.mark.django_db
def test_accounts_without_an_address_stand_beside_each_other() -> None:
    User.objects.create_user("one")
    User.objects.create_user("two")
    assert User.objects.count() == 2


def test_rows_name_an_owner_by_the_uuid_of_the_account() -> None:
    assert User(uid="6f9619ff-8b86-4d01-b42d-00cf4fc964ff").owner == (
        "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"
    )


def test_a_test_that_asked_for_no_database_reaches_none() -> None:
    with pytest.raises(RuntimeError, match="not allowed"):
        connection.ensure_connection()
