"""Whole addresses in files, so that what was saved leads back to the page."""

from collections.abc import Callable

from django.urls import reverse

from leaderboard.exports.table import Column, Row


def address(origin: str, view: str, key: str) -> str:
    """Empty without a key. ``origin`` is scheme and host."""
    return origin + reverse(view, args=[key]) if key else ""


def address_column(origin: str, name: str, view: str, key: Callable[[Row], str]) -> Column[Row]:
    return Column(name, lambda row: address(origin, view, key(row)))
