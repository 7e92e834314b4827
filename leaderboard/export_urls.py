"""Addresses of what pages show as files, and of what programs read: data set, feed, badges; search and compare too."""

from functools import partial
from pathlib import Path

from django.urls import URLPattern, path, re_path

from leaderboard.views import (
    badge_views,
    board_list_views,
    cell_exports,
    chart_exports,
    compare_views,
    data_views,
    evidence_exports,
    export_views,
    feed_views,
    home_exports,
    model_exports,
    problem_exports,
    search_views,
    status_exports,
    text_views,
)
from leaderboard.views.site import Site

_ENDING = r"\.(?P<ending>csv|json)$"
_NAME = r"(?P<name>[-a-zA-Z0-9_]+)"
_SLUG = r"(?P<slug>[-a-zA-Z0-9_]+)"
_UID = r"(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_SHA256 = r"(?P<sha256>[0-9a-f]{64})"
_PLACE = r"(?P<place>[-a-zA-Z0-9_]+)"
_BOARD = rf"(?P<kind>instruction|correctness|speed)/{_PLACE}"


def export_addresses(site: Site, *, data_set: Path) -> list[URLPattern]:
    """``data_set`` is the folder where its files are made."""
    return [*_tables(site), *_data(site, data_set), *_elsewhere(site)]


def _tables(site: Site) -> list[URLPattern]:
    """A page's address with an ending instead of its last stroke; its second table beneath it."""
    views = (
        (r"^leaders", home_exports.leaders, "leaders_export"),
        (r"^records", home_exports.records, "records_export"),
        (r"^boards", board_list_views.boards_export, "boards_export"),
        (rf"^boards/{_BOARD}", export_views.board, "board_export"),
        (r"^models", cell_exports.models, "models_export"),
        (rf"^models/{_SLUG}", cell_exports.model, "model_export"),
        (rf"^models/{_SLUG}/entries", cell_exports.model_entries, "model_entries_export"),
        (rf"^models/{_SLUG}/cells", cell_exports.model_cells, "model_cells_export"),
        (rf"^models/{_SLUG}/newest", model_exports.model_newest, "model_newest_export"),
        (rf"^models/{_SLUG}/map", model_exports.model_map, "model_map_export"),
        (
            rf"^models/{_SLUG}/over-turns",
            model_exports.model_over_turns,
            "model_over_turns_export",
        ),
        (
            rf"^entries/{_UID}/over-turns",
            chart_exports.entry_over_turns,
            "entry_over_turns_export",
        ),
        (
            rf"^entries/{_UID}/timed-turns",
            chart_exports.entry_timed_turns,
            "entry_timed_turns_export",
        ),
        (rf"^runs/{_UID}/times", chart_exports.run_times, "run_times_export"),
        (rf"^runs/{_UID}/clocks", chart_exports.run_clocks, "run_clocks_export"),
        (rf"^runs/{_UID}/opcodes", chart_exports.run_opcodes, "run_opcodes_export"),
        (rf"^boards/speed/{_PLACE}/fast", chart_exports.board_fast, "board_fast_export"),
        (rf"^entries/{_UID}", cell_exports.entry, "entry_export"),
        (rf"^entries/{_UID}/turns", cell_exports.entry_turns, "entry_turns_export"),
        (rf"^entries/{_UID}/cells", cell_exports.entry_cells, "entry_cells_export"),
        (rf"^trajectories/{_UID}", cell_exports.trajectory, "trajectory_export"),
        (rf"^kernels/{_SHA256}/runs", evidence_exports.kernel_runs, "kernel_runs_export"),
        (r"^problems", problem_exports.problems, "problems_export"),
        (rf"^problems/{_NAME}/arguments", problem_exports.arguments, "problem_arguments_export"),
        (rf"^problems/{_NAME}/devices", problem_exports.devices, "problem_devices_export"),
        (rf"^problems/{_NAME}/boards", problem_exports.boards, "problem_boards_export"),
        (rf"^problems/{_NAME}/leaders", problem_exports.leaders, "problem_leaders_export"),
        (
            rf"^problems/{_NAME}/records",
            evidence_exports.problem_records_file,
            "problem_records_export",
        ),
        (r"^status", status_exports.queues, "status_queues_export"),
        (r"^status/workers", status_exports.workers, "status_workers_export"),
        (r"^status/devices", status_exports.devices, "status_devices_export"),
        (r"^status/known-kernels", status_exports.known_kernels, "known_kernels_export"),
        (r"^compare", evidence_exports.compare, "compare_export"),
        (r"^gap", evidence_exports.gap, "gap_export"),
    )
    return [
        re_path(f"{start}{_ENDING}", partial(view, site=site), name=name)
        for start, view, name in views
    ]


def _data(site: Site, folder: Path) -> list[URLPattern]:
    views = (
        ("", data_views.data, "data"),
        ("manifest.json", data_views.data_manifest, "data_manifest"),
        ("SHA256SUMS", data_views.data_checksums, "data_checksums"),
        ("<slug:name>.parquet", data_views.data_file, "data_file"),
    )
    return [
        path(f"data/{end}", partial(view, site=site, folder=folder), name=name)
        for end, view, name in views
    ]


def _elsewhere(site: Site) -> list[URLPattern]:
    """What other programs and sites show."""
    return [
        path("search/", partial(search_views.search, site=site), name="search"),
        path("compare/", partial(compare_views.compare, site=site), name="compare"),
        path("changelog/", partial(text_views.changelog, site=site), name="changelog"),
        path("feed/", partial(feed_views.feed, site=site), name="feed"),
        path("changes/", partial(feed_views.changes, site=site), name="changes"),
        path(
            "badges/<uuid:uid>/<slug:board>.svg",
            partial(badge_views.badge, site=site),
            name="badge",
        ),
    ]
