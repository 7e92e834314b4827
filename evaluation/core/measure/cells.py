"""The map of wrong elements: an output as a matrix of its last axis by all others, cut into cells."""

import math

MOST_CELLS = 64  # in each direction


def matrix(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of an output; a scalar is one by one."""
    return math.prod(shape[:-1]), shape[-1] if shape else 1


def cells(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns of its map."""
    rows, columns = matrix(shape)
    return min(rows, MOST_CELLS), min(columns, MOST_CELLS)


def cell_of(place: int, shape: tuple[int, ...]) -> int:
    """The cell, counted row by row, of the element at ``place`` of the contiguous output."""
    rows, columns = matrix(shape)
    cell_rows, cell_columns = cells(shape)
    row, column = divmod(place, columns)
    return row * cell_rows // rows * cell_columns + column * cell_columns // columns


def index_of(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The index in ``shape`` of the element at ``place`` of the contiguous output."""
    index = []
    for length in reversed(shape):
        place, along = divmod(place, length)
        index.append(along)
    return tuple(reversed(index))
