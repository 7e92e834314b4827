"""Rows of boards and entries with little in them, for tests of charts that need no database."""

from typing import Any

from evaluation.core.judgement import Speed
from evaluation.selectors.timed_turns import TimedTurn, TimedTurns
from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead, BoardRow, PlacedRow
from leaderboard.standing import BoardKind

ENTRY = "11111111-1111-1111-1111-111111111111"
TRAJECTORY = "22222222-2222-2222-2222-222222222222"


def board(kind: BoardKind = BoardKind.SPEED, **columns: Any) -> BoardHead:
    whole: dict[str, Any] = {
        "slug": f"{kind}-{columns.get('problem', 'gemm')}-{columns.get('judge', '1')}",
        "kind": kind,
        "target": "hopper",
        "device": "h200" if kind is BoardKind.SPEED else "",
        "problem": "gemm",
        "suite": "",
        "problem_version": 1,
        "language": "cuda",
        "judge": "1",
        "revision": 1,
    }
    return BoardHead(**whole | columns)


def row(kind: BoardKind = BoardKind.SPEED, **columns: Any) -> BoardRow:
    whole: dict[str, Any] = dict.fromkeys(BoardRow.__dataclass_fields__)
    whole |= {
        "kind": kind,
        "subject": ENTRY,
        "provenance": Provenance.VERIFIED,
        "turn_limit": 8,
        "position": 1,
        "unranked_why": "",
        "counted": 8,
        "declared": 8,
        "open": 0,
        "hits": 0,
        "rates": (),
        "ratios": (),
        "devices": ("h200",),
        "reported_device": "",
        "model_name": "Quartz",
        "publication": "",
        "entry_uid": ENTRY,
        "harness": "",
        "single_kernel": False,
    }
    return BoardRow(**whole | columns)


def cell(kind: BoardKind = BoardKind.SPEED, **columns: Any) -> PlacedRow:
    names = ("slug", "target", "device", "problem", "suite", "problem_version", "language", "judge")
    of_board = {name: columns.pop(name) for name in names if name in columns}
    return PlacedRow(board(kind, **of_board), row(kind, **columns))


def timed(turn: int = 0, *, ratio: float, **columns: Any) -> TimedTurn:
    whole: dict[str, Any] = {
        "trajectory": TRAJECTORY,
        "problem": "gemm",
        "prompt": 0,
        "number": 2,
        "turn": turn,
        "device": "h200",
        "speed": Speed(ratio, ratio - 0.125, ratio + 0.125, 400, 200),
        "reported_ratio": None,
        "reported_device": "",
        "completion_tokens": None,
        "reasoning_tokens": None,
    }
    return TimedTurn(**whole | columns)


def all_timed(*turns: TimedTurn, total: int | None = None) -> TimedTurns:
    return TimedTurns(turns, len(turns), len(turns) if total is None else total)
