"""Reads the rows of a running product beside it, as SQL says them, whichever database it has."""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import psycopg

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    database_url: str

    def all(self, query: str, *values: str) -> list[Row]:
        """The rows of a query that both databases understand, with a question mark for each value."""
        parts = urlsplit(self.database_url)
        if parts.scheme == "sqlite":
            path = parts.path[1:]
            with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
                return database.execute(query, values).fetchall()
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            if not values:
                return connection.execute(query.encode()).fetchall()
            return connection.execute(query.replace("?", "%s").encode(), values).fetchall()

    def one(self, query: str) -> Any:
        ((value,),) = self.all(query)
        return value
