"""The public data set: what is in it, what never is, and its files."""

import hashlib
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import judged_rows as rows
import pyarrow.parquet as pq
import pytest
from django.conf import settings
from django.core.management import call_command
from django.http import HttpResponseBase
from django.test import Client
from judged_rows import AT, GEMM
from page_reading import strictly
from seeded_site import Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.adapters.catalogue import packaged
from evaluation.models import Entry, Hold, Run, Turn
from leaderboard.exports.data_set.making import data_tables, make_data_set, renew_data_set
from leaderboard.exports.data_set.released import MANIFEST, current_release
from leaderboard.projection import rebuild

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

PROBLEMS = packaged().problems()
NAMES = ["standings", "rates", "records", "entries", "turns", "runs", "models", "problems"]


def read(folder: Path, name: str) -> list[dict[str, Any]]:
    release = current_release(folder)
    assert release is not None
    table = release.table(name)
    assert table is not None
    found: list[dict[str, Any]] = pq.read_table(folder / table.file).to_pylist()
    assert len(found) == table.rows
    return found


def everything(folder: Path) -> bytes:
    release = current_release(folder)
    assert release is not None
    return json.dumps([[name, read(folder, name)] for name in NAMES], default=str).encode()


@pytest.fixture
def offered() -> Iterator[Path]:
    """The folder that the site offers, empty before and after."""
    folder = Path(settings.DATA_SET)
    for _ in range(2):
        for file in folder.glob("*"):
            file.unlink()
        if _ == 0:
            yield folder


def test_every_table_is_there_with_its_values(tmp_path: Path) -> None:
    entry = rows.judged(["pf-n", *["----"] * 4], model=rows.model(slug="quartz"), ratio=0.5)
    rebuild(at=AT)
    release = make_data_set(tmp_path, PROBLEMS, at=AT)
    assert [one.name for one in release.tables] == NAMES
    turns = read(tmp_path, "turns")
    assert [one["turn"] for one in turns] == [1, 2, 3, 4] * 5
    assert [one["verdict"] for one in turns[:4]] == ["accepted", "accepted", "wrong_result", ""]
    assert (turns[0]["matrix_path"], turns[1]["matrix_path"]) == ("yes", "no")
    assert (turns[3]["missing"], turns[3]["kernel"], turns[3]["correct"]) == ("no_code", "", None)
    runs = {one["run"]: one for one in read(tmp_path, "runs")}
    assert len(runs) == 19
    first = runs[turns[0]["run"]]
    assert (first["ratio"], first["candidate_ns"], first["vendor_ns"]) == (0.5, 400, 200)
    assert (first["kernel"], first["finished_at"]) == (turns[0]["kernel"], AT)
    (told,) = read(tmp_path, "entries")
    assert (told["entry"], told["model"], told["turns"]) == (str(entry.uid), "quartz", 4)
    (record,) = read(tmp_path, "records")
    assert (record["ratio"], record["before"]) == (0.5, None)
    (speed,) = (
        one
        for one in read(tmp_path, "standings")
        if (one["kind"], one["problem"], one["turn_limit"]) == ("speed", GEMM, 4)
    )
    assert (speed["value"], speed["low"], speed["ratios"]) == (0.5, 0.4375, [0.5, 0.5])
    (share,) = (
        one
        for one in read(tmp_path, "rates")
        if (one["board"], one["subject"], one["rate"], one["turn_limit"])
        == (
            f"correctness-hopper-{GEMM.replace('_', '-')}-v1-cuda-judge-1",
            speed["subject"],
            "correct",
            4,
        )
    )
    assert (share["hits"], share["counted"], share["share"]) == (2, 20, 0.1)
    gemm = next(one for one in read(tmp_path, "problems") if one["problem"] == GEMM)
    assert gemm["targets"].split()[0] == "hopper"


@pytest.mark.parametrize("which", ["private", "embargoed", "withdrawn", "proposed"])
def test_what_is_not_public_is_in_no_table_whoever_owns_it(
    seeded: Seeded, tmp_path: Path, which: str
) -> None:
    make_data_set(tmp_path, PROBLEMS, at=AT)
    entry: Entry = getattr(seeded, which)
    kernels = Turn.objects.filter(trajectory__entry=entry).values_list("kernel__sha256", flat=True)
    runs = Run.objects.filter(kernel__turns__trajectory__entry=entry).values_list("uid", flat=True)
    texts = {name: json.dumps(read(tmp_path, name), default=str) for name in NAMES}
    tables = NAMES if which != "proposed" else ["standings", "rates", "records"]
    for word in [str(entry.uid), *filter(None, kernels), *map(str, runs)]:
        assert [name for name in tables if word in texts[name]] == []
    assert str(seeded.whole.uid) in texts["turns"]


def test_an_entry_that_is_public_no_more_leaves_with_the_next_making_also_before_boards_know(
    tmp_path: Path,
) -> None:
    entry = rows.judged(["p-"] * 5)
    rebuild(at=AT)
    make_data_set(tmp_path, PROBLEMS, at=AT)
    assert str(entry.uid).encode() in everything(tmp_path)
    Entry.objects.filter(pk=entry.pk).update(withdrawn_at=AT, withdrawn_reason="A mistake.")
    make_data_set(tmp_path, PROBLEMS, at=AT)
    assert str(entry.uid).encode() not in everything(tmp_path)
    assert len(list(tmp_path.glob("*.parquet"))) == len(NAMES)


def test_a_held_turn_makes_the_same_bytes_as_an_open_one(tmp_path: Path) -> None:
    entry = rows.judged(["p---", *["----"] * 4])
    turn = Turn.objects.get(trajectory__entry=entry, trajectory__number=0, number=0)
    hold = rows.hold(turn)
    rebuild(at=AT)
    held = make_data_set(tmp_path, PROBLEMS, at=AT)
    Hold.objects.filter(pk=hold.pk).delete()
    Run.objects.filter(kernel=turn.kernel).delete()
    rows.run(turn, "o")
    rebuild(at=AT)
    assert make_data_set(tmp_path, PROBLEMS, at=AT) == held
    Run.objects.filter(kernel=turn.kernel).delete()
    rows.run(turn, "p")
    rebuild(at=AT)
    assert make_data_set(tmp_path, PROBLEMS, at=AT) != held


def test_a_struck_turn_and_its_run_are_told(tmp_path: Path) -> None:
    rows.judged(["s---", *["----"] * 4])
    rebuild(at=AT)
    make_data_set(tmp_path, PROBLEMS, at=AT)
    assert read(tmp_path, "turns")[0]["state"] == "struck"
    assert len(read(tmp_path, "runs")) == 20


def test_it_is_made_anew_after_an_hour_and_not_before(tmp_path: Path) -> None:
    assert renew_data_set(tmp_path, PROBLEMS, at=AT)
    assert not renew_data_set(tmp_path, PROBLEMS, at=AT + timedelta(minutes=59))
    assert renew_data_set(tmp_path, PROBLEMS, at=AT + timedelta(hours=1))
    found = current_release(tmp_path)
    assert found is not None
    assert found.made_at == AT + timedelta(hours=1)


def test_a_making_that_fails_leaves_the_files_that_there_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.judged(["p-"] * 5)
    rebuild(at=AT)
    make_data_set(tmp_path, PROBLEMS, at=AT)
    before = everything(tmp_path)

    def breaks(*_: object, **__: object) -> str:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("leaderboard.exports.data_set.making.manifest_text", breaks)
        with pytest.raises(OSError, match="disk"):
            make_data_set(tmp_path, PROBLEMS, at=AT)
    assert everything(tmp_path) == before
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith("new-")] == []


def test_every_column_says_what_it_holds_in_words_that_are_unique_in_its_table() -> None:
    for table in data_tables(PROBLEMS, at=AT):
        names = [one.name for one in table.columns]
        assert len(names) == len(set(names)), table.name
        assert table.about.endswith(".")


def test_the_page_lists_the_files_and_gives_them_with_their_checksums(
    client: Client, offered: Path
) -> None:
    rows.judged(["p-"] * 5)
    rebuild(at=AT)
    empty = client.get("/data/").content.decode()
    strictly(empty)
    assert "It has not been made yet" in empty
    assert client.get("/data/turns.parquet").status_code == 404
    assert client.get("/data/manifest.json").status_code == 404
    said = StringIO()
    call_command("make_data_set", stdout=said)
    assert len(said.getvalue().splitlines()) == len(NAMES)
    page = client.get("/data/").content.decode()
    strictly(page)
    lines = client.get("/data/SHA256SUMS").content.decode().splitlines()
    sums = {line[66:]: line[:64] for line in lines}
    assert list(sums) == [f"{name}.parquet" for name in NAMES]
    for name, sha256 in sums.items():
        assert f'href="/data/{name}"' in page
        answer = client.get(f"/data/{name}")
        assert hashlib.sha256(body(answer)).hexdigest() == sha256
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
        unchanged = client.get(f"/data/{name}", headers={"If-None-Match": answer["ETag"]})
        assert unchanged.status_code == 304
    assert client.get("/data/manifest.json").json() == json.loads((offered / MANIFEST).read_text())
    assert client.get("/data/passwords.parquet").status_code == 404
    mine = signed_in().get("/data/turns.parquet")
    assert "private" in mine["Cache-Control"]
    assert hashlib.sha256(body(mine)).hexdigest() == sums["turns.parquet"]
    assert pq.read_table(io.BytesIO(body(client.get("/data/turns.parquet")))).num_rows == 10


def body(answer: HttpResponseBase) -> bytes:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content)  # type: ignore[attr-defined]  # of files alone
