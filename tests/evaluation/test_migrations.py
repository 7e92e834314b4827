"""The schema moves forward and back, on whichever database the tests run."""

import ast
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection

FOLDER = Path(__file__).parents[2] / "evaluation" / "migrations"


def tables() -> set[str]:
    with connection.cursor() as cursor:
        names = connection.introspection.table_names(cursor)
    return {name for name in names if name.startswith("evaluation_")}


@pytest.mark.django_db(transaction=True)
def test_the_schema_goes_back_to_nothing_and_forward_again() -> None:
    before = tables()
    try:
        call_command("migrate", "evaluation", "zero", verbosity=0)
        assert tables() == set()
    finally:
        call_command("migrate", verbosity=0)
    assert tables() == before
    assert "evaluation_run" in before


@pytest.mark.django_db
def test_no_migration_is_forgotten() -> None:
    call_command("makemigrations", "evaluation", check=True, dry_run=True, verbosity=0)


def test_migrations_import_no_application_code() -> None:
    for path in sorted(FOLDER.glob("0*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").startswith("django."), path.name
            if isinstance(node, ast.Import):
                assert all(one.name.split(".")[0] in {"django", "uuid"} for one in node.names)
