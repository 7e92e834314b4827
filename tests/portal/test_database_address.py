"""The database that an address names, and what its options do to a real SQLite file."""

import sqlite3
from pathlib import Path

import pytest
from django.db import OperationalError
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from portal.database import database, sqlite


def test_a_path_after_three_slashes_is_relative_and_after_four_absolute() -> None:
    assert database("sqlite:///board.db")["NAME"] == "board.db"
    assert database("sqlite:////srv/a%20b.db")["NAME"] == "/srv/a b.db"


def test_every_part_of_a_postgresql_address_has_its_place() -> None:
    found = database("postgresql://ada:p%40ss@db.example:6432/board?sslmode=require")
    assert (found["USER"], found["PASSWORD"]) == ("ada", "p@ss")
    assert (found["HOST"], found["PORT"], found["NAME"]) == ("db.example", "6432", "board")
    assert found["OPTIONS"] == {"sslmode": "require"}


def test_a_folder_of_sockets_is_named_as_an_option() -> None:
    assert database("postgresql:///board?host=/run/postgresql")["HOST"] == "/run/postgresql"


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mysql://h/n", "begins with 'mysql'"),
        ("postgresql://h", "names no database"),
        ("postgresql://h/n?options=-c", "has the option 'options'"),
        ("postgresql://ada:pass/word@h/n", "its port is no number"),
        ("sqlite://board.db", "is sqlite:///PATH"),
    ],
    ids=["engine", "name", "option", "port", "slashes"],
)
def test_an_address_that_names_no_database_is_refused(url: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        database(url)


def handler(path: Path) -> ConnectionHandler:
    found = sqlite(path)
    options = found["OPTIONS"]
    assert isinstance(options, dict)
    return ConnectionHandler({"default": found | {"OPTIONS": options | {"timeout": 0}}})


def test_a_sqlite_file_keeps_a_log_that_readers_need_not_wait_for(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    connections = handler(tmp_path / "board.db")
    with django_db_blocker.unblock():
        with connections["default"].cursor() as cursor:
            cursor.execute("CREATE TABLE t (n)")
        connections.close_all()
    with sqlite3.connect(tmp_path / "board.db") as other:
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_a_transaction_on_sqlite_takes_the_write_lock_when_it_begins(
    tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    path = tmp_path / "board.db"
    connections = handler(path)
    connection = connections["default"]
    with django_db_blocker.unblock():
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (n)")
        connection.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        other = handler(path)
        with pytest.raises(OperationalError, match="locked"):
            other["default"].set_autocommit(
                False, force_begin_transaction_with_broken_autocommit=True
            )
        connections.close_all()
        other.close_all()
