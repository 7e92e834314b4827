"""What the page of one problem says of its arguments and devices, as tables to save."""

from collections.abc import Sequence

from leaderboard.exports.table import Column, Table
from leaderboard.views.problem_arguments import ArgumentLine
from leaderboard.views.problem_devices import DeviceLine


def arguments_table(lines: Sequence[ArgumentLine], *, page: str) -> Table[ArgumentLine]:
    """In the order of the call. A scalar has a value and neither axes nor shape."""
    columns: list[Column[ArgumentLine]] = [
        Column("name", lambda one: one.argument.name),
        Column("role", lambda one: "output" if one.argument.is_output else "input"),
        Column("dtype", lambda one: one.argument.dtype.value),
        Column("axes", lambda one: " ".join(one.axes)),
        Column("shape", lambda one: " ".join(map(str, one.argument.shape or ()))),
        Column("scalar", lambda one: one.argument.value),
        Column("size_bytes", lambda one: one.argument.size_bytes),
        Column("values", lambda one: one.values),
    ]
    return Table("arguments", {"page": page}, columns, lines)


def devices_table(lines: Sequence[DeviceLine], *, page: str) -> Table[DeviceLine]:
    columns: list[Column[DeviceLine]] = [
        Column("device", lambda one: one.product),
        Column("vendor_ns", lambda one: one.vendor_ns),
        Column("floor_ns", lambda one: one.floor.floor_ns if one.floor else None),
        Column("bound_by", lambda one: one.floor.bound if one.floor else ""),
        Column("ratio_at_floor", lambda one: one.floor.ratio if one.floor else None),
        Column("source", lambda one: one.source),
    ]
    return Table("problem_devices", {"page": page}, columns, lines)
