"""ptxboard doctor: what this machine lacks, and what to do about it."""

import itertools
import json
from pathlib import Path

import pytest
from cli_run import Cli, cli_in

from evaluation.adapters.measure_wiring import quarantine_of
from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace
from evaluation.cli.doctoring import run_checks
from evaluation.core.measure.ledger import Running
from evaluation.core.messages import Attempt


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


def test_a_machine_without_toolchain_is_told_so_and_what_to_do(cli: Cli) -> None:
    ran = cli.run("doctor", "--home", str(cli.folder / "home"))
    assert ran.code == 69
    assert ran.out.startswith(f"  state folder   ok  {cli.folder}/home\n  jail           ")
    assert ran.out.endswith("\n  not ready: nothing is judged here until what says no is mended\n")


def test_a_state_folder_that_cannot_be_used_is_the_first_thing_said(cli: Cli) -> None:
    (cli.folder / "file").write_bytes(b"")
    ran = cli.run("doctor", "--home", str(cli.folder / "file/home"))
    assert ran.code == 69
    words = " ".join(ran.out.split())
    assert words.startswith(
        f"state folder no cannot use the state folder {cli.folder}/file/home: Not a directory "
        "name a folder that this user may write with --home or PTXBOARD_HOME"
    )


def test_json_lists_the_same_checks_and_nothing_else_is_written(cli: Cli) -> None:
    ran = cli.run("doctor", "--json", "--home", str(cli.folder / "home"))
    assert (ran.code, ran.err) == (69, "")
    document = json.loads(ran.out)
    assert document["ok"] is False
    assert [set(row) for row in document["checks"]] == [{"name", "ok", "detail", "action"}] * len(
        document["checks"]
    )
    assert document["checks"][0]["name"] == "state folder"
    assert not all(row["ok"] for row in document["checks"])


def test_a_person_lifts_a_quarantine_and_what_kernels_did_stays_noted(cli: Cli) -> None:
    home = cli.folder / "home"
    ledger = quarantine_of(Workspace(home), "h200", 0)
    ledger.begin(Running("ab" * 32, Attempt("0b1f6f0e-7a3a-4c0d-9c57-3f1f0c2b9a11", 1, "k" * 32)))
    ledger.lose("gone", by_time=False)
    ledger.set_sick("Xid 79")
    cli.run("doctor", "--home", str(home))
    assert ledger.read().sick == "Xid 79"
    cli.run("doctor", "--lift-quarantine", "--home", str(home))
    assert ledger.read().sick == ""
    assert len(ledger.read().losses) == 1


def test_who_may_not_lift_a_quarantine_is_told_so_and_nothing_is_tried(cli: Cli) -> None:
    home = cli.folder / "home"
    home.mkdir()
    (home / "measure").write_bytes(b"")
    ran = cli.run("doctor", "--lift-quarantine", "--home", str(home))
    assert (ran.code, ran.out) == (69, "")
    assert ran.err == (
        f"ptxboard: cannot read the ledgers of GPUs in {home}/measure: Not a directory\n"
        "          run this as the user that the workers run as\n"
    )
    (home / "measure").unlink()
    (home / "measure/h200-0.json").mkdir(parents=True)
    ran = cli.run("doctor", "--lift-quarantine", "--home", str(home))
    assert (ran.code, ran.out) == (69, "")
    assert ran.err.startswith("ptxboard: cannot read the ledger of this GPU, ")
    assert "belong to the worker's user" in ran.err


@pytest.mark.toolchain
def test_a_machine_that_judges_passes_every_check_up_to_the_compiles(
    workspace: Workspace, toolchain: Toolchain
) -> None:
    """The compiles come last and take most of a minute; the tests of the compiler make them too."""
    checks = list(itertools.takewhile(lambda one: one.name != "headers", run_checks(workspace, {})))
    assert [one.name for one in checks] == [
        "state folder",
        "jail",
        "cgroup",
        "toolchain",
        "host compiler",
        "ptxas",
        "nvdisasm",
    ]
    assert all(one.ok for one in checks)
