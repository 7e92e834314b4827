"""The turns of a trajectory in few words each, as HTML: a template takes ten times as long, and a page has hundreds."""

from collections.abc import Iterator

from django.utils.safestring import SafeString, mark_safe

from evaluation.core.run_words import TurnState
from evaluation.selectors import TrajectoryRow, TurnRow
from leaderboard.templatetags.addresses import EvidenceAddresses
from leaderboard.templatetags.figures import ratio, said, words
from leaderboard.templatetags.written import Html, joined, small, text


def turn_chips(trajectory: TrajectoryRow, to: EvidenceAddresses) -> SafeString:
    """Items of a list, each with a link to the turn; the last one leads to those that are left out."""
    page = to.trajectory(trajectory.uid)
    return mark_safe("".join(_chips(trajectory, page)))  # noqa: S308 (Html is escaped)


def _chips(trajectory: TrajectoryRow, page: str) -> Iterator[Html]:
    for turn in trajectory.turns:
        link = f'<a class="{_style(turn)}" href="{page}#turn-{turn.number + 1}">{_said(turn)}</a>'
        yield Html(f"<li>{joined(' ', Html(link), *_ratios(turn))}</li>")
    if left := trajectory.taken - len(trajectory.turns):
        yield Html(f'<li><a href="{page}">{left:,} more</a></li>')


def _style(turn: TurnRow) -> str:
    if turn.verdict == "accepted":
        return "good"
    return "bad" if turn.verdict or turn.missing else "open"


def _said(turn: TurnRow) -> Html:
    if turn.missing:
        return text(said(turn.missing, "missing"))
    if turn.state is TurnState.JUDGED:
        return text(words(turn.verdict))
    return text(said(turn.state, "state"))


def _ratios(turn: TurnRow) -> Iterator[Html]:
    for one in turn.speeds:
        if one.speed and turn.state is TurnState.JUDGED:
            yield small(text(ratio(one.speed.ratio)))
