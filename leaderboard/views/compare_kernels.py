"""Kernels side by side: their newest runs at each place, and where two of them differ."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.utils.safestring import SafeString

from evaluation.core.verdict import Language, RunState
from evaluation.selectors import KernelPage, NotVisible, RunRow, Viewer, kernel_page
from leaderboard.exports.line_diff import DiffLine, Side, TooDifferent, hunks, line_diff
from leaderboard.views.compare_question import Comparison
from leaderboard.views.compared import NotCompared, Subject, without
from leaderboard.views.kernel_views import source_content
from leaderboard.views.site import Site
from leaderboard.views.source_text import lines_of, marked_lines


@dataclass(frozen=True, slots=True)
class RunLine:
    """One place where kernels were judged, with the newest run of each, None where it has none there."""

    problem: str
    problem_version: int
    target: str
    device: str
    judge: str
    runs: tuple[RunRow | None, ...]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line of either source, or of both; ``html`` has its words told apart as on the kernel's own page."""

    side: Side
    old: int | None
    new: int | None
    html: SafeString


@dataclass(frozen=True, slots=True)
class SourceDiff:
    """``why_not`` says why there are no pieces to show; both are empty where nothing differs."""

    hunks: tuple[tuple[ShownLine, ...], ...]
    why_not: str


def compared_kernels(
    request: HttpRequest, asked: Comparison, site: Site
) -> tuple[list[KernelPage], list[RunLine]]:
    """Kernels, and their runs at each place in the same order. Raise NotCompared."""
    viewer = site.viewer_of(request)
    pages = [_page(viewer, key, asked) for key in asked.keys]
    return pages, _runs(pages)


def kernels_context(request: HttpRequest, asked: Comparison, site: Site) -> dict[str, object]:
    """What the page shows of kernels. Raise NotCompared."""
    pages, lines = compared_kernels(request, asked, site)
    subjects = [
        Subject(one.sha256, one.sha256[:12], _authors(one), without(asked, one.sha256))
        for one in pages
    ]
    context: dict[str, object] = {"subjects": subjects, "kernels": pages, "lines": lines}
    if len(pages) == 2:
        context["diff"] = _diff(pages[0], pages[1], site)
    elif pages:
        first = asked.keys[0]
        context["pairs"] = [(one, asked.of(first, one.key)) for one in subjects[1:]]
    return context


def problems_of(kernels: Iterable[KernelPage]) -> frozenset[str]:
    """The problems that they were written for, as far as this visitor may know."""
    return frozenset(place.problem for one in kernels for place in one.places)


def _page(viewer: Viewer, key: str, asked: Comparison) -> KernelPage:
    try:
        return kernel_page(viewer, key)[0]
    except NotVisible:
        others = replace(asked, keys=tuple(one for one in asked.keys if one != key))
        raise NotCompared(key, others) from None


def _authors(kernel: KernelPage) -> str:
    return ", ".join(dict.fromkeys(one.author for one in kernel.places[:3]))


def _runs(pages: Sequence[KernelPage]) -> list[RunLine]:
    """The newest run that counts of each kernel at each place; runs come newest first."""
    found: dict[tuple[str, int, str, str, str], list[RunRow | None]] = {}
    for at, kernel in enumerate(pages):
        for run in kernel.runs:
            if run.state is not RunState.FINISHED or not run.applied:
                continue
            place = (run.problem, run.problem_version, run.target, run.device, run.judge)
            there = found.setdefault(place, [None] * len(pages))
            there[at] = there[at] or run
    return [RunLine(*place, tuple(there)) for place, there in sorted(found.items())]


def _diff(old: KernelPage, new: KernelPage, site: Site) -> SourceDiff:
    before, after = source_content(old.sha256, site), source_content(new.sha256, site)
    if before is None or after is None:
        return SourceDiff((), "the bytes of one of them are not kept here")
    try:
        pieces = hunks(line_diff(lines_of(before), lines_of(after)))
    except TooDifferent as wrong:
        return SourceDiff((), str(wrong))
    if not pieces:
        return SourceDiff((), "")
    of_old = marked_lines(before, is_cuda=old.language is Language.CUDA)
    of_new = marked_lines(after, is_cuda=new.language is Language.CUDA)
    return SourceDiff(
        tuple(tuple(_shown(one, of_old, of_new) for one in piece) for piece in pieces), ""
    )


def _shown(line: DiffLine, of_old: Sequence[SafeString], of_new: Sequence[SafeString]) -> ShownLine:
    """What both have looks as in the newer one: what stands before a line may be a comment in one of them alone."""
    if line.new is not None:
        return ShownLine(line.side, line.old, line.new, of_new[line.new - 1])
    assert line.old is not None
    return ShownLine(line.side, line.old, line.new, of_old[line.old - 1])
