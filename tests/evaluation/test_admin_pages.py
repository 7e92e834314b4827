"""The admin shows every table and changes none."""

import evaluation_rows as rows
import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory
from django.urls import reverse

SHOWN_WITH_OTHERS = {"Artifact", "ModelAlias", "ReportedResult"}


def test_every_table_is_shown_but_those_that_are_parts_of_others() -> None:
    tables = {one.__name__ for one in apps.get_app_config("evaluation").get_models()}
    shown = {one.__name__ for one in admin.site._registry if one._meta.app_label == "evaluation"}
    assert shown == tables - SHOWN_WITH_OTHERS


@pytest.mark.django_db
def test_not_even_a_superuser_changes_a_row() -> None:
    request = RequestFactory().get("/")
    request.user = get_user_model()(is_superuser=True, is_staff=True, is_active=True)
    for table, page in admin.site._registry.items():
        if table._meta.app_label == "evaluation":
            assert not page.has_add_permission(request)
            assert not page.has_change_permission(request)
            assert not page.has_delete_permission(request)
            assert page.has_view_permission(request)


@pytest.mark.django_db
def test_lists_and_rows_open(client: Client) -> None:
    boss = get_user_model().objects.create(
        email="boss@example.org", is_staff=True, is_superuser=True
    )
    client.force_login(boss, backend="django.contrib.auth.backends.ModelBackend")
    attempt = rows.attempt()
    for row in (attempt, rows.signal(), rows.hold(), rows.paper_cell(), rows.turn(), rows.worker()):
        name = f"admin:evaluation_{row._meta.model_name}"
        assert client.get(reverse(f"{name}_changelist")).status_code == 200
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200
    page = client.get(reverse("admin:evaluation_attempt_change", args=[attempt.pk]))
    assert attempt.key_digest not in page.content.decode()
