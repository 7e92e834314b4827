"""Charts on pages: each with its figure as JSON, and the one relaxation of the policy that drawing them needs."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from csp.decorators import csp_update
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString, mark_safe

from evaluation.core import wire
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.ports import Artifacts
from evaluation.core.records import StageReport
from evaluation.selectors import ReportRow
from leaderboard.charts.chart import Chart
from leaderboard.charts.clocks import clock_chart
from leaderboard.charts.figure import figure
from leaderboard.charts.opcodes import opcode_chart
from leaderboard.charts.table_rows import table_rows
from leaderboard.charts.timing import timing_charts
from leaderboard.templatetags.files import SavedAs, saved_as

P = ParamSpec("P")
Decode = Callable[[bytes], MeasureSeen]
# Plotly adds a style element without a word in it; this is the hash of nothing.
EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
# Of a run's samples that are decoded while somebody waits. Real ones have about 80,000, which takes 0.07 s.
SAMPLES_BYTES = 512 << 10
_SAMPLES = "measure_seen"
_ENDING = (
    ("&", "\\u0026"),
    ("<", "\\u003C"),
    (">", "\\u003E"),
)  # in JSON they stand in strings alone


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart with what the script draws, the rows of its table, and its files where no other link leads to them."""

    chart: Chart
    figure: dict[str, Any]
    rows: SafeString
    files: SavedAs | None

    @property
    def script(self) -> SafeString:
        """The figure in an element that no browser runs and nothing in it ends; json_script takes 2 ms longer."""
        text = json.dumps(self.figure, separators=(",", ":"))
        for sign, escaped in _ENDING:
            text = text.replace(sign, escaped)
        name = f"chart-{self.chart.name}-figure"
        return mark_safe(f'<script id="{name}" type="application/json">{text}</script>')  # noqa: S308 (see _ENDING)


def drawn(
    charts: Iterable[Chart | None], files: Mapping[str, SavedAs] | None = None
) -> tuple[Drawn, ...]:
    """``files`` are those of the charts by their names."""
    by_name = files or {}
    return tuple(
        Drawn(one, figure(one), table_rows(one.table), by_name.get(one.name))
        for one in charts
        if one is not None
    )


def draws_charts(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Allow the empty style of Plotly on a page with charts, whatever the answer: a 304 renews what a browser keeps."""
    relaxed = csp_update({"style-src": [EMPTY_STYLE]})(view)

    @wraps(view)
    def with_charts(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        answer = relaxed(request, *args, **kwargs)
        assert isinstance(answer, HttpResponse)
        return answer

    with_charts.draws_charts = True  # type: ignore[attr-defined]  # a test lists the pages that have it
    return with_charts


def run_charts(
    rows: Iterable[ReportRow], store: Artifacts, decode: Decode, *, name: str, run: str
) -> tuple[Drawn, ...]:
    """Draw what the reports of ``run`` hold; ``name`` keeps the charts of several runs on one page apart."""
    reports = tuple(one.report for one in rows)
    seen = run_samples(reports, store, decode)
    timing = () if seen is None else timing_charts(seen, name=f"times-{name}")
    clocks = None if seen is None else clock_chart(seen, name=f"clocks-{name}")
    times = saved_as("run_times_export", uid=run)
    files = {
        **{f"times-{name}-{side}": times for side in ("kernel", "vendor")},
        f"clocks-{name}": saved_as("run_clocks_export", uid=run),
        f"opcodes-{name}": saved_as("run_opcodes_export", uid=run),
    }
    return drawn((*timing, clocks, opcode_chart(reports, name=f"opcodes-{name}")), files)


def run_samples(
    reports: Iterable[StageReport], store: Artifacts, decode: Decode
) -> MeasureSeen | None:
    """What was measured of a run, where its reports name it and it can be shown."""
    refs = (ref for one in reports for ref in one.artifacts if ref.name == _SAMPLES)
    return next((_samples(ref.sha256, ref.size, store, decode) for ref in refs), None)


def _samples(sha256: str, size: int, store: Artifacts, decode: Decode) -> MeasureSeen | None:
    """None where they are too many for a page, not kept here, or of a judge that wrote other records."""
    if size > SAMPLES_BYTES:
        return None
    try:
        return decode(store.get(sha256, limit_bytes=SAMPLES_BYTES))
    except (ToolFailure, InvalidInput):
        return None


def decoded(content: bytes) -> MeasureSeen:
    """Raise InvalidInput where these are no samples of this judge."""
    return wire.decode(MeasureSeen, content, where=_SAMPLES, limit_bytes=SAMPLES_BYTES)
