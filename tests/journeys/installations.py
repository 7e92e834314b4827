"""The two ways to install the product that everything here is tried on."""

import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import pytest
from postgres_server import NoPostgres, private_postgres
from running_product import Product, product

from portal.quickstart import broker


class Installation(Protocol):
    def __call__(self, *, pace_seconds: float) -> AbstractContextManager[Product]: ...


@contextmanager
def postgres_and_redis(*, pace_seconds: float) -> Iterator[Product]:
    """As a site with services of its own has it. Skipped where there is none of both."""
    try:
        cluster = private_postgres()
        with (
            cluster as database,
            product(
                database_url=database.url,
                server=_server(os.environ["PATH"]),
                pace_seconds=pace_seconds,
            ) as running,
        ):
            yield running
    except NoPostgres as missing:
        pytest.skip(str(missing))


@contextmanager
def sqlite_and_valkey(*, pace_seconds: float) -> Iterator[Product]:
    """As a machine without any service has it: a file, and the Valkey of the optional package."""
    with product(database_url="", server=_server(""), pace_seconds=pace_seconds) as running:
        yield running


INSTALLATIONS: Mapping[str, Installation] = MappingProxyType(
    {"postgres_and_redis": postgres_and_redis, "sqlite_and_valkey": sqlite_and_valkey}
)


def _server(path: str) -> Path:
    found = broker.find_server(path)
    if found is None:
        pytest.skip("there is no Redis or Valkey server; bin/setup installs both")
    return found
