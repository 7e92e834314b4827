"""Who gets what at every address of the site: none is forgotten, and nothing of one visitor is kept for another."""

from pathlib import Path

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse
from our_addresses import our_addresses
from private_upload import PrivateUpload, private_upload
from pytest_django import Settings
from submission_steps import own_folder, person, program_of

pytestmark = pytest.mark.django_db

# What a visitor, a stranger with an account, the owner and staff get of an upload that is private.
EVERYBODY = (200, 200, 200, 200)
INSIDERS = (404, 404, 200, 200)
NOBODY = (404, 404, 404, 404)
SIGNED_IN = (302, 200, 200, 200)
PAGES = {
    **dict.fromkeys(
        (
            *("home", "gap", "problems", "problem", "problem_toml", "models", "models_export"),
            *("instruction_board", "correctness_board", "speed_board", "board_export"),
            *("boards", "boards_of_kind", "boards_export"),
            *("method", "verdicts", "rules", "published", "changelog", "status", "changes"),
            *("upload_format", "program_api"),
            *("data", "search", "compare", "feed", "healthz", "api_schema"),
            *("leaders_export", "records_export", "status_queues_export"),
            *("problem_arguments_export", "problem_devices_export"),
            *("problem_boards_export", "problem_leaders_export"),
            "board_fast_export",
            *("status_workers_export", "status_devices_export", "known_kernels_export"),
            *("gap_export", "problems_export", "problem_records_export"),
        ),
        EVERYBODY,
    ),
    # Of an upload under a name that nobody accepted, and of files that were not made.
    **dict.fromkeys(("model", "model_export", "model_entries", "model_entries_export"), NOBODY),
    **dict.fromkeys(("model_cells", "model_cells_export", "badge"), NOBODY),
    **dict.fromkeys(("model_newest_export", "model_map_export", "model_over_turns_export"), NOBODY),
    **dict.fromkeys(("data_manifest", "data_checksums", "data_file"), NOBODY),
    "run_bundle": NOBODY,  # its run has not ended
    "compare_export": (400, 400, 400, 400),  # it names nothing to compare
    **dict.fromkeys(
        (
            *("entry", "entry_export", "entry_turns_export"),
            *("entry_cells", "entry_cells_export"),
            *("entry_over_turns_export", "entry_timed_turns_export"),
            *("trajectory", "trajectory_export", "trajectory_document"),
            *("kernel", "kernel_source", "kernel_runs_export"),
            *("run", "run_artifact", "run_log"),
            *("run_times_export", "run_clocks_export", "run_opcodes_export"),
        ),
        INSIDERS,
    ),
    **dict.fromkeys(("submissions", "submissions_export", "submission_new", "tokens"), SIGNED_IN),
    **dict.fromkeys(("submission", "submission_live"), (302, 404, 200, 200)),
}
# Staff decide nothing about what is another's.
FORMS = dict.fromkeys(
    ("submission_confirm", "submission_cancel", "submission_withdraw", "token_revoke"),
    (302, 404, 302, 404),
)
# The same for programs of these accounts, the first without a token.
READ_BY_PROGRAMS = {
    "api_submissions": (401, 200, 200, 200),
    **dict.fromkeys(
        ("api_submission", "api_turns", "api_document", "api_run", "api_log", "api_source"),
        (401, 404, 200, 200),
    ),
}
# The owner is told that it is too late, or what the request lacks.
DONE_BY_PROGRAMS = {
    "api_content": (401, 404, 400, 404),
    "api_confirm": (401, 404, 409, 404),
    "api_cancel": (401, 404, 409, 404),
    "api_withdraw": (401, 404, 400, 404),
}
SAME_FOR_ALL = {"healthz", "api_schema"}


@pytest.fixture
def private(settings: Settings, tmp_path: Path) -> PrivateUpload:
    own_folder(settings, tmp_path)
    return private_upload()


@pytest.fixture
def visitors(private: PrivateUpload) -> tuple[Client, ...]:
    """Nobody, Bob, the owner and Eve of the staff."""
    who = (Client(), Client(), Client(), Client())
    accounts = (person("bob@example.org"), private.owner, person("eve@example.org", staff=True))
    for client, account in zip(who[1:], accounts, strict=True):
        client.force_login(account, backend="django.contrib.auth.backends.ModelBackend")
    return who


@pytest.fixture
def programs(private: PrivateUpload) -> tuple[Client, ...]:
    accounts = (person("bob@example.org"), private.owner, person("eve@example.org", staff=True))
    return (Client(), *map(program_of, accounts))


def test_every_address_of_ours_stands_in_one_of_these_tables() -> None:
    names = [str(pattern.name) for pattern in our_addresses()]
    assert sorted(names) == sorted([*PAGES, *FORMS, *READ_BY_PROGRAMS, *DONE_BY_PROGRAMS])


def test_a_page_of_what_is_private_is_there_for_its_owner_and_staff_alone(
    private: PrivateUpload, visitors: tuple[Client, ...]
) -> None:
    found = {name: tuple(shown(one, private.address(name)) for one in visitors) for name in PAGES}
    assert found == PAGES


def shown(client: Client, address: str) -> int:
    """What a page answers, at the one address of a question that can be written in several ways."""
    answer = client.get(address)
    location = answer.headers.get("Location", "/accounts/")
    return answer.status_code if location.startswith("/accounts/") else shown(client, location)


def test_a_form_acts_on_what_is_ones_own_alone_and_no_link_acts(
    private: PrivateUpload, visitors: tuple[Client, ...]
) -> None:
    anonymous, bob, ada, eve = visitors
    for name, expected in FORMS.items():
        address = private.address(name)
        assert [one.get(address).status_code for one in visitors] == [405] * 4
        answers = {one: one.post(address, {"reason": "mine"}) for one in (anonymous, bob, eve, ada)}
        assert tuple(answers[one].status_code for one in visitors) == expected, name
        assert answers[anonymous]["Location"].startswith("/accounts/login/")


def test_a_program_gets_what_its_account_may_see(
    private: PrivateUpload, programs: tuple[Client, ...]
) -> None:
    found = {
        name: tuple(one.get(private.address(name)).status_code for one in programs)
        for name in READ_BY_PROGRAMS
    }
    assert found == READ_BY_PROGRAMS


def test_a_program_acts_on_what_is_its_account_s_own_alone(
    private: PrivateUpload, programs: tuple[Client, ...]
) -> None:
    for name, expected in DONE_BY_PROGRAMS.items():
        answers = [acted(one, name, private.address(name)) for one in programs]
        assert tuple(status for status, _ in answers) == expected, name
        assert {kind for _, kind in answers} == {"application/json"}


def acted(program: Client, name: str, address: str) -> tuple[int, str]:
    """Status and kind of the answer."""
    if name == "api_content":
        answer = program.patch(address, b"", content_type="application/octet-stream")
    else:
        answer = program.post(address, b"", content_type="application/json")
    return answer.status_code, answer["Content-Type"]


def test_nothing_that_is_made_for_one_visitor_may_be_kept_for_others(
    private: PrivateUpload, visitors: tuple[Client, ...]
) -> None:
    anonymous, *signed_in = visitors
    for name in PAGES:
        address = private.address(name)
        for client in signed_in:
            answer = client.get(address, follow=True)
            if answer.status_code == 200 and name not in SAME_FOR_ALL:
                assert "private" in answer.headers.get("Cache-Control", ""), name
        answer = anonymous.get(address, follow=True)
        if "public" in answer.headers.get("Cache-Control", ""):
            assert not answer.cookies, name
            assert b"csrfmiddlewaretoken" not in answer.getvalue(), name


def test_a_page_of_staff_sends_all_others_to_sign_in(visitors: tuple[Client, ...]) -> None:
    anonymous, bob, _, eve = visitors
    lists = [
        reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")
        for model in admin.site._registry
    ]
    assert len(lists) > 10
    for address in (reverse("admin:index"), *lists):
        for client in (anonymous, bob):
            answer = client.get(address)
            assert answer.status_code == 302, address
            assert answer["Location"].startswith("/admin/login/"), address
    assert eve.get(reverse("admin:index")).status_code == 200
