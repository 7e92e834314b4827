"""The runs of a kernel as its page and its files list them: in which columns and in which order."""

from collections.abc import Callable, Mapping

from django.http import HttpRequest

from evaluation.selectors import RunRow
from leaderboard.selectors.list_order import ListOrder, SortValue, sorted_rows
from leaderboard.standing import series_age
from leaderboard.views.arrangement import ListColumn, ListColumns
from leaderboard.views.list_question import ListQuestion, read_list

RUN_COLUMNS = ListColumns(
    (
        ListColumn("run", "Run", orders=False, stands=True),
        ListColumn("verdict", "Verdict"),
        ListColumn("ratio", "Ratio", is_figure=True, largest_first=True),
        ListColumn("problem", "Problem"),
        ListColumn("device", "Device"),
        ListColumn("judge", "Judge", largest_first=True),
        ListColumn("instruction", "Instruction", orders=False),
        ListColumn("matrix_path", "Matrix path", orders=False),
        ListColumn("gpu", "GPU", is_figure=True, largest_first=True),
        ListColumn("ended", "Ended", largest_first=True),
    )
)


def runs_question(request: HttpRequest) -> ListQuestion:
    """What the address of a kernel asks of its runs. Raise WrongQuestion."""
    return read_list(request.GET, RUN_COLUMNS)


def runs_in_order(runs: tuple[RunRow, ...], order: ListOrder | None) -> tuple[RunRow, ...]:
    """The newest first unless another order is asked for; what a run has none of comes last."""
    read: Mapping[str, Callable[[RunRow], SortValue]] = {
        "problem": lambda one: one.problem,
        "device": lambda one: one.device,
        "judge": lambda one: series_age(0, one.judge),
        "verdict": lambda one: one.verdict,
        "ratio": _ratio,
        "gpu": lambda one: one.gpu_seconds,
        "ended": lambda one: one.finished_at,
    }
    return sorted_rows(runs, order, read)


def _ratio(one: RunRow) -> float | None:
    return one.findings.speed.ratio if one.findings and one.findings.speed else None
