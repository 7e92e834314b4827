"""Every board with how many rows it has of each provenance, as a table to save."""

from collections.abc import Callable, Sequence

from leaderboard.exports.addresses import place_columns
from leaderboard.exports.table import Column, Table, Value
from leaderboard.selectors.listed_boards import BoardCount


def board_list_table(
    counts: Sequence[BoardCount], *, origin: str, page: str, address_of: Callable[[BoardCount], str]
) -> Table[BoardCount]:
    """``address_of`` gives the path of the page that shows these rows, empty where there is none."""

    def whole(one: BoardCount) -> Value:
        path = address_of(one)
        return origin + path if path else ""

    columns: list[Column[BoardCount]] = [
        *place_columns(lambda one: one.board),
        Column("provenance", lambda one: one.provenance.value),
        Column("rows", lambda one: one.rows),
        Column("ranked", lambda one: one.ranked),
        Column("board_url", whole),
    ]
    return Table("boards", {"page": page}, columns, counts)
