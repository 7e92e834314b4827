"""Fixtures of tests of pages; a test file imports those that it uses."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings
from seeded_site import Seeded, seed

from evaluation.models import Entry, Run
from portal.accounts.models import User


@pytest.fixture
def artifacts(settings: Settings, tmp_path: Path) -> Path:
    """The folder where the site looks for artifacts."""
    settings.HOME = tmp_path
    return tmp_path / "artifacts"


@pytest.fixture
def seeded(artifacts: Path) -> Seeded:
    return seed(artifacts)


def signed_in(*, staff: bool = False, owns_all: bool = False) -> Client:
    """A visitor with an account, who owns every entry and run or none."""
    number = User.objects.count()
    user = User.objects.create_user(
        username=f"visitor{number}", email=f"visitor{number}@example.org", is_staff=staff
    )
    if owns_all:
        Entry.objects.update(owner=user.owner)
        Run.objects.update(owner=user.owner)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client
