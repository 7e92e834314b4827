"""What board pages, exports and feeds read: standings as typed rows. Boards are public, so nobody's view differs."""

from leaderboard.selectors.board_index import BoardHead
from leaderboard.selectors.board_page import BoardPage, BoardQuery, NoBoard, board_page
from leaderboard.selectors.board_row import BestLink, BoardRow, FastShare
from leaderboard.selectors.cells import PlacedRow, entry_cells
from leaderboard.selectors.record_rows import RecordRow, record_rows

__all__ = [
    "BestLink",
    "BoardHead",
    "BoardPage",
    "BoardQuery",
    "BoardRow",
    "FastShare",
    "NoBoard",
    "PlacedRow",
    "RecordRow",
    "board_page",
    "entry_cells",
    "record_rows",
]
