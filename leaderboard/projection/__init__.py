"""Turns what evaluation knows into the rows of boards: all of them, or those that an event touched."""

from leaderboard.projection.refreshing import (
    Changes,
    rebuild,
    refresh,
    refresh_due,
    refresh_kernels,
    refresh_models,
    refresh_papers,
)

__all__ = [
    "Changes",
    "rebuild",
    "refresh",
    "refresh_due",
    "refresh_kernels",
    "refresh_models",
    "refresh_papers",
]
