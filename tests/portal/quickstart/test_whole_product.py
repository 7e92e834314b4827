"""The real thing on an empty state folder: it starts, is killed, leaves nothing, and starts again with its data."""

import http.client
import json
import os
import re
import signal
import sqlite3
import subprocess
from contextlib import closing
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from embedded_product import Product, command, environment, product
from processes_found import parent, read

pytestmark = pytest.mark.broker


def healthz(address: str) -> object:
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)) as connection:
        connection.request("GET", "/healthz")
        return json.load(connection.getresponse())


def accounts(home: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(home / "ptxboard.sqlite3")) as database:
        rows = database.execute("SELECT uid, email, password FROM accounts_user ORDER BY id")
        return [(str(uid), str(email), str(password)) for uid, email, password in rows]


def sample_entries(home: Path) -> int:
    with closing(sqlite3.connect(home / "ptxboard.sqlite3")) as database:
        (count,) = database.execute("SELECT count(*) FROM evaluation_entry").fetchone()
        return int(count)


def printed_logins(running: Product) -> list[str]:
    return re.findall(r"sign in as .*", running.said())


def test_it_starts_serves_is_killed_leaves_nothing_and_starts_again_with_its_data(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with product(home, tmp_path) as running:
        assert healthz(running.address()) == {"database": "answers"}
        made, logins = accounts(home), printed_logins(running)
        assert [email for _, email, _ in made] == ["author@example.org", "staff@example.org"]
        assert len(logins) == 2
        assert sample_entries(home) == 1
        assert (home / "demo-logins").stat().st_mode & 0o777 == 0o600
        assert (home / "ptxboard.sqlite3").stat().st_mode & 0o777 == 0o600
        # The judge's worker was told where jobs come from, and nothing of a database.
        told = read(running.main_of("prepare@"), "environ")
        assert b"PTXBOARD_BROKER_URL" in told
        assert b"PTXBOARD_DATABASE_URL" not in told
        running.process.kill()
        running.wait_for(lambda: not running.pids())
    with product(home, tmp_path) as again:
        assert again.address()
        assert (accounts(home), printed_logins(again)) == (made, logins)
        assert sample_entries(home) == 1
        again.process.send_signal(signal.SIGINT)
        assert again.exit_code() == 0
        assert again.pids() == set()


def test_a_second_start_with_the_same_state_folder_says_where_the_first_one_is(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    with product(home, tmp_path) as first:
        address = first.address()
        second = subprocess.run(
            command(home),
            env=environment("/bin", home),
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 69
        assert second.stderr.startswith(f"serve: PTXBoard runs at {address} as process ")
        # Each of its services comes back, and the site with it.
        for words in ("portal@", "reports@", "prepare@", "beat", "gunicorn", "broker.sock"):
            main = first.main_of(words)
            os.kill(main, signal.SIGKILL)
            first.wait_for(partial(has_come_back, first, words, main))
        assert healthz(address) == {"database": "answers"}
        (supervisor,) = (pid for pid in first.pids() if parent(pid) == first.process.pid)
        os.kill(supervisor, signal.SIGKILL)
        first.wait_for(lambda: not first.pids())
        assert first.exit_code() == 70


def has_come_back(running: Product, words: str, before: int) -> bool:
    try:
        return running.main_of(words) != before
    except ValueError:  # none, or a new one beside the rest of the old one
        return False
