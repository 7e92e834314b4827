"""Starting the site as an administrator does: in a process of its own, with its environment and state folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from celery_process import REPOSITORY, environment


def run(*words: str, home: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *words],
        env=environment(url="redis://127.0.0.1:1/0", home=home, **more),
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_a_wrong_environment_is_named_without_a_traceback(tmp_path: Path) -> None:
    done = run("manage.py", "check", home=tmp_path, PTXBOARD_COLOUR="red", PTXBOARD_DEBUG="so")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "manage.py: the environment is wrong; mend or unset:",
        "  PTXBOARD_DEBUG: 'so' is neither true nor false",
        "  PTXBOARD_COLOUR: there is no such setting",
    ]


def test_a_state_folder_that_cannot_be_is_named_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("manage.py", "check", home=tmp_path / "file" / "home")
    assert done.returncode == 1
    assert done.stderr.startswith("manage.py: the state folder cannot be used: ")
    assert done.stderr.strip().endswith("PTXBOARD_HOME names another one")
    assert len(done.stderr.splitlines()) == 1


def test_what_holds_accounts_and_keys_is_its_owner_s_alone(tmp_path: Path) -> None:
    assert run("manage.py", "migrate", "-v0", home=tmp_path).returncode == 0
    modes = {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir() if one.is_file()}
    assert modes == {"ptxboard.sqlite3": 0o600, "secret-key": 0o600}


def test_queue_settings_in_a_wrong_order_refuse_the_start(tmp_path: Path) -> None:
    code = """
from evaluation import queues
queues.LEASE_SECONDS = 20
import manage
manage.sys.argv = ["manage.py", "check"]
manage.main()
"""
    done = run("-c", code, home=tmp_path)
    assert done.returncode == 1
    assert "portal.E001" in done.stderr


def test_a_site_with_github_lets_a_form_lead_there(tmp_path: Path) -> None:
    code = """
import manage
manage.sys.argv = ["manage.py", "check"]
manage.main()
from django.conf import settings
print(settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["form-action"])
from django.urls import reverse
print(reverse("github_login"))
"""
    done = run(
        "-c",
        code,
        home=tmp_path,
        PTXBOARD_GITHUB_ID="id",
        PTXBOARD_GITHUB_SECRET="secret",
        DJANGO_SETTINGS_MODULE="portal.settings",
    )
    assert done.stdout.splitlines()[-2:] == [
        "[\"'self'\", 'https://github.com']",
        "/accounts/github/login/",
    ]


@pytest.mark.parametrize(
    ("collected", "address"),
    [(False, r"/static/ptxboard\.css"), (True, r"/static/ptxboard\.[0-9a-f]{12}\.css")],
    ids=["from a checkout", "collected"],
)
def test_a_style_sheet_has_a_name_to_be_cached_by_where_files_were_collected(
    tmp_path: Path, collected: bool, address: str
) -> None:
    if collected:
        assert run("manage.py", "collectstatic", "--no-input", home=tmp_path).returncode == 0
    code = """
import django
django.setup()
from django.templatetags.static import static
print(static("ptxboard.css"))
"""
    done = run("-c", code, home=tmp_path, DJANGO_SETTINGS_MODULE="portal.settings")
    assert done.returncode == 0
    assert re.fullmatch(address, done.stdout.strip())
