"""What staff read where rows are looked at: whose site it is, what they can do, and tables by their English names."""

import re

import pytest
from django.contrib.auth import get_user_model
from django.core.management import get_commands
from django.test import Client
from django.urls import reverse

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client) -> Client:
    boss = get_user_model().objects.create(
        email="boss@example.org", is_staff=True, is_superuser=True
    )
    client.force_login(boss, backend="django.contrib.auth.backends.ModelBackend")
    return client


def test_the_first_page_says_whose_it_is_and_which_commands_decide(staff: Client) -> None:
    page = staff.get(reverse("admin:index")).content.decode()
    assert "| PTXBoard</title>" in page
    assert "Django administration" not in page
    assert re.search(r'<link rel="icon" href="[^"]*icon[^"]*\.svg"', page)
    named = re.findall(r"<code>(?:manage\.py )?(\w+)</code>", page)
    assert set(named) >= {"model", "holds", "queue", "why"}
    assert set(named) <= get_commands().keys()
    assert 'class="app-evaluation module' in page  # the list of tables is still there


def test_tables_have_plurals_of_the_language(staff: Client) -> None:
    page = staff.get(reverse("admin:index")).content.decode()
    for word in ("Entries", "Trajectories", "Queue switches"):
        assert f">{word}</a>" in page
    assert not re.search(r"Entrys|Trajectorys|switchs", page)
