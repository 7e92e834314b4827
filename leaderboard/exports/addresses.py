"""Whole addresses in files, so that what was saved leads back to the page."""

from collections.abc import Callable

from django.urls import reverse

from leaderboard.exports.table import Column, Row, Value
from leaderboard.selectors import BoardHead, BoardRow
from leaderboard.templatetags.addresses import board_address

PLACE = ("kind", "target", "device", "problem", "suite", "problem_version", "language", "judge")


def address(origin: str, view: str, key: str) -> str:
    """Empty without a key. ``origin`` is scheme and host."""
    return origin + reverse(view, args=[key]) if key else ""


def place_columns(board_of: Callable[[Row], BoardHead]) -> list[Column[Row]]:
    """Which board a row is of, its slug first."""

    def read(name: str) -> Callable[[Row], Value]:
        return lambda row: getattr(board_of(row), name)

    return [Column("board", read("slug")), *(Column(name, read(name)) for name in PLACE)]


def board_url(origin: str, board: BoardHead, row: BoardRow) -> str:
    """The page of a board where this row stands; empty for a device whose name is no part of an address."""
    path = board_address(board, row.provenance, row.turn_limit)
    return origin + path if path else ""


def address_column(origin: str, name: str, view: str, key: Callable[[Row], str]) -> Column[Row]:
    return Column(name, lambda row: address(origin, view, key(row)))
