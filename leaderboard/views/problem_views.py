"""Pages of problems: what a kernel has to compute, how exactly, and what it is compared with."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from evaluation.core.catalogue.problem import Argument, Baseline, Problem, argument_list
from evaluation.core.catalogue.work import flops, input_bytes, output_bytes
from leaderboard.charts.records import record_chart
from leaderboard.ranking import Provenance
from leaderboard.selectors.chart_records import problem_records
from leaderboard.selectors.leaders import leaders
from leaderboard.selectors.problem_boards import TopRows, problem_boards
from leaderboard.selectors.revisions import revision_of_problem
from leaderboard.views.answers import (
    page,
    redirected_to,
    refuses_wrong_questions,
    saved,
    text_etag,
)
from leaderboard.views.asked import DEFAULT_TURNS
from leaderboard.views.baseline_code import WHERE, baseline_code
from leaderboard.views.drawn import drawn, draws_charts
from leaderboard.views.home_views import LeadersOfTarget, leaders_by_target
from leaderboard.views.instead import no_problem
from leaderboard.views.problem_arguments import argument_lines
from leaderboard.views.problem_boards import short_boards
from leaderboard.views.problem_devices import device_lines, unmeasured
from leaderboard.views.problem_list import problems_by_suite, problems_question
from leaderboard.views.site import Site

ROWS_SHOWN = 5  # of each board
_BASELINES = {
    Baseline.CUBLAS_MATMUL: "cuBLAS, as torch.matmul calls it",
    Baseline.CUDNN_SDPA_FORWARD: "cuDNN’s fused attention, forward, as PyTorch calls it",
    Baseline.CUDNN_SDPA_BACKWARD: "cuDNN’s fused attention, backward, as PyTorch calls it",
}


@require_safe
@refuses_wrong_questions
def problems(request: HttpRequest, *, site: Site) -> HttpResponse:
    asked = problems_question(request)
    if moved := redirected_to(request, asked.canonical):
        return moved

    def made(etag: str) -> HttpResponse:
        suites = problems_by_suite(site, asked.arrangement.order)
        context = {"suites": suites, **asked.shown}
        return page(request, "leaderboard/problems.html", context, etag=etag)

    return site.kept.answer(
        request, lambda: text_etag(site.release, request.path, asked.canonical), made
    )


@require_safe
@draws_charts
def problem(request: HttpRequest, name: str, *, site: Site) -> HttpResponse:
    found = site.problem(name)
    if found is None:
        return no_problem(request, name, site)

    def tag() -> str:
        return text_etag(site.release, request.path, revision_of_problem(name))

    return site.kept.answer(request, tag, lambda etag: _made(request, found, etag, site))


def _made(request: HttpRequest, found: Problem, etag: str, site: Site) -> HttpResponse:
    name = found.name
    lines = device_lines(found, site.devices)
    context = {
        "problem": found,
        "arguments": argument_lines(found),
        "flops": flops(found),
        "input_bytes": input_bytes(found),
        "output_bytes": output_bytes(found),
        "signature": signature(found),
        "baseline": _BASELINES[found.baseline],
        "baseline_code": baseline_code(found.baseline, site.root),
        "baseline_file": WHERE,
        "lines": lines,
        "unmeasured": unmeasured(lines),
        "boards": short_boards(shown_boards(name)),
        "paper": published_leaders(name, site),
        "turns": DEFAULT_TURNS,
        "charts": drawn([record_chart(problem_records(name))]),
    }
    return page(request, "leaderboard/problem.html", context, etag=etag)


def shown_boards(name: str) -> tuple[TopRows, ...]:
    """The first rows of every board of a problem."""
    return problem_boards(name, turn_limit=DEFAULT_TURNS, most=ROWS_SHOWN)


def published_leaders(name: str, site: Site) -> list[LeadersOfTarget]:
    (paper,) = leaders(Provenance.PAPER, turn_limit=DEFAULT_TURNS, problem=name)
    return leaders_by_target(paper, site.problems)


def signature(problem: Problem) -> str:
    """The function that a kernel exports, in C++."""
    arguments = (f"{_type(one)} {one.name}" for one in argument_list(problem))
    return f"void run({', '.join(arguments)})"


def _type(argument: Argument) -> str:
    if argument.shape is not None:
        return "tvm::ffi::TensorView"
    return "double" if argument.dtype.is_floating else "int64_t"


@require_safe
def problem_toml(request: HttpRequest, name: str, *, site: Site) -> HttpResponse:
    """The file that defines the problem, byte for byte."""
    found = site.problem(name)
    if found is None:
        raise Http404
    content = site.catalogue.problem_folder.joinpath(f"{found.name}.toml").read_bytes()
    return saved(content, f"{found.name}.toml", kind="application/toml")
