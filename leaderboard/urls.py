"""Addresses of the public pages. They are permanent: what is linked from elsewhere stays where it is."""

from functools import partial

from django.urls import URLPattern, path, re_path

from leaderboard.views import (
    board_list_views,
    board_views,
    cell_views,
    download_views,
    entry_views,
    gap_views,
    home_views,
    kernel_views,
    model_views,
    problem_views,
    status_views,
    text_views,
)
from leaderboard.views.site import Site

_SHA256 = r"(?P<sha256>[0-9a-f]{64})"
_UID = r"(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"


def addresses(site: Site) -> list[URLPattern]:
    """Every page with what it needs."""
    return [
        path("", partial(home_views.home, site=site), name="home"),
        *_boards(site),
        path("gap/", partial(gap_views.gap, site=site), name="gap"),
        *_things(site),
        *_evidence(site),
        path("method/", partial(text_views.method, site=site), name="method"),
        path("verdicts/", partial(text_views.verdicts, site=site), name="verdicts"),
        path("rules/", partial(text_views.rules, site=site), name="rules"),
        path("published/", partial(text_views.published, site=site), name="published"),
        path("upload-format/", partial(text_views.upload_format, site=site), name="upload_format"),
        path("programs/", partial(text_views.program_api, site=site), name="program_api"),
        path("status/", partial(status_views.status, site=site), name="status"),
    ]


def _boards(site: Site) -> list[URLPattern]:
    return [
        path("boards/", partial(board_list_views.boards, site=site), name="boards"),
        re_path(
            r"^boards/(?P<kind>instruction|correctness|speed)/$",
            board_list_views.boards_of_kind,
            name="boards_of_kind",
        ),
        path(
            "boards/instruction/<slug:target>/",
            partial(board_views.instruction_board, site=site),
            name="instruction_board",
        ),
        path(
            "boards/correctness/<slug:target>/",
            partial(board_views.correctness_board, site=site),
            name="correctness_board",
        ),
        path(
            "boards/speed/<slug:device>/",
            partial(board_views.speed_board, site=site),
            name="speed_board",
        ),
    ]


def _things(site: Site) -> list[URLPattern]:
    return [
        path("problems/", partial(problem_views.problems, site=site), name="problems"),
        path(
            "problems/<slug:name>.toml",
            partial(problem_views.problem_toml, site=site),
            name="problem_toml",
        ),
        path("problems/<slug:name>/", partial(problem_views.problem, site=site), name="problem"),
        path("models/", partial(model_views.models, site=site), name="models"),
        path("models/<slug:slug>/", partial(model_views.model, site=site), name="model"),
        path(
            "models/<slug:slug>/entries/",
            partial(model_views.entries, site=site),
            name="model_entries",
        ),
        path(
            "models/<slug:slug>/cells/",
            partial(cell_views.model_cells, site=site),
            name="model_cells",
        ),
    ]


def _evidence(site: Site) -> list[URLPattern]:
    return [
        path("entries/<uuid:uid>/", partial(entry_views.entry, site=site), name="entry"),
        path(
            "entries/<uuid:uid>/cells/",
            partial(cell_views.entry_cells, site=site),
            name="entry_cells",
        ),
        path(
            "trajectories/<uuid:uid>/",
            partial(entry_views.trajectory, site=site),
            name="trajectory",
        ),
        path(
            "trajectories/<uuid:uid>/document",
            partial(entry_views.trajectory_document, site=site),
            name="trajectory_document",
        ),
        re_path(rf"^kernels/{_SHA256}/$", partial(kernel_views.kernel, site=site), name="kernel"),
        re_path(
            rf"^kernels/{_SHA256}/source$",
            partial(download_views.kernel_source, site=site),
            name="kernel_source",
        ),
        path("runs/<uuid:uid>/", partial(kernel_views.run, site=site), name="run"),
        path(
            "runs/<uuid:uid>/bundle.zip",
            partial(download_views.run_bundle, site=site),
            name="run_bundle",
        ),
        re_path(
            rf"^runs/{_UID}/artifacts/(?P<name>[A-Za-z0-9_.]{{1,64}})$",
            partial(download_views.run_artifact, site=site),
            name="run_artifact",
        ),
        re_path(
            rf"^runs/{_UID}/logs/{_SHA256}$",
            partial(download_views.run_log, site=site),
            name="run_log",
        ),
    ]
