"""Hostile uploads over HTTP leave a sentence and nothing else; secrets reach neither rows, nor the store, nor the log."""

import gzip
import io
import json
import logging
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.core import serializers
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings
from run_directories import SMALL, as_tar_gz, members
from submission_steps import (
    KERNEL,
    SECRET,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    read,
    spooled,
    upload,
)

from evaluation.models import Artifact, Entry, Kernel, Run, Trajectory, Turn
from portal.uploads.models import ImportedMember, ImportProblem, Submission
from portal.uploads.preview import stored_preview

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


@pytest.fixture
def adas(client: Client) -> Client:
    client.force_login(person())
    return client


def zipped(*named: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in named:
            packed.writestr(name, content)
    return out.getvalue()


def linked() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        link = tarfile.TarInfo("trajectories/exp_000.json")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    return out.getvalue()


HOSTILE = {
    "bomb": zipped(("trajectories/exp_000.json", bytes(64 << 20)), ("plan.json", b"[]")),
    "gzip-bomb": gzip.compress(bytes(64 << 20)),
    "traversal": zipped(("../trajectories/exp_000.json", b"{}")),
    "absolute": zipped(("/etc/cron.d/x", b"{}"), ("plan.json", b"{}")),
    "link": linked(),
    "deep": b'{"format":"ptxboard-trajectory","turns":' + b"[" * 5000,
    "twice": b'{"format":"ptxboard-trajectory","format":"x"}',
    "nan": b'{"format":"ptxboard-trajectory","version":NaN}',
    "not-utf-8": b'{"format":"ptxboard-trajectory","model":"\xff"}',
    "nul": b'{"format":"ptxboard-trajectory","model":"\\u0000"}',
    "nothing-known": b'{"hello": "world"}',
    "cut-off": as_tar_gz(members(SMALL))[:-2000],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_upload_leaves_a_sentence_and_nothing_else(adas: Client, name: str) -> None:
    adas.post("/submissions/new/", {"file": SimpleUploadedFile("run.zip", HOSTILE[name])})
    submission = read(Submission.objects.get())
    assert (submission.state, submission.understood, submission.entry) == ("refused", "", None)
    assert 10 < len(submission.refused) <= 500
    assert "\n" not in submission.refused
    assert spooled() == []
    for rows in (Entry, Trajectory, Turn, Kernel, Artifact, Run, ImportProblem, ImportedMember):
        assert not rows.objects.exists()
    page = adas.get(f"/submissions/{submission.uid}/").content.decode()
    assert "Nothing of it was kept." in page


def test_bytes_that_were_refused_can_be_sent_again(adas: Client) -> None:
    for _ in range(2):
        adas.post("/submissions/new/", {"file": SimpleUploadedFile("a", HOSTILE["link"])})
        read(Submission.objects.latest("pk"))
    assert Submission.objects.filter(state="refused").count() == 2


def test_an_account_has_room_for_so_many_uploads_that_it_did_not_confirm(
    adas: Client, settings: Settings
) -> None:
    settings.UPLOAD_LIMITS = {"unfinished": 2}
    for number in range(3):
        file = SimpleUploadedFile("k.cu", KERNEL + b"/" * number)
        response = adas.post("/submissions/new/", {"file": file})
    assert response.status_code == 400
    assert "confirm or cancel some of them" in response.content.decode()
    assert Submission.objects.count() == len(spooled()) == 2


def test_a_request_that_is_too_large_is_refused_before_it_is_read(
    adas: Client, settings: Settings
) -> None:
    settings.REQUEST_BYTES = 1000
    response = adas.post("/submissions/new/", {"file": SimpleUploadedFile("k.cu", bytes(2000))})
    assert response.status_code == 413
    assert "too large for one request" in response.content.decode()
    assert not Submission.objects.exists()
    assert spooled() == []


class Watched(io.BytesIO):
    """A body that notes whether anybody read it."""

    was_read = False

    def read(self, *size: int | None) -> bytes:
        self.was_read = True
        return super().read(*size)


def test_of_a_body_that_is_too_large_no_byte_is_read(client: Client) -> None:
    body = Watched(b"x" * 100)
    announced: Any = {"wsgi.input": body, "CONTENT_LENGTH": str(66 << 20)}
    response = client.generic("POST", "/api/v1/submissions", **announced)
    assert response.status_code == 413
    assert response.json()["error"] == "too_large"
    assert not body.was_read


def test_a_body_without_a_length_is_refused(client: Client) -> None:
    response = client.post("/api/v1/submissions", headers={"Transfer-Encoding": "chunked"})
    assert response.status_code == 411


def with_secrets() -> dict[str, bytes]:
    """The same secret wherever a stranger may have left it."""
    turns = [
        {
            "kernel": f"// {SECRET}\n{KERNEL.decode()}",
            "reply": f"I used {SECRET}.",
            "event": SECRET,
        },
        {
            "kernel": KERNEL.decode(),
            "reply": f"```cpp\n// {SECRET}\n```",
            "reported": {"status": SECRET},
        },
    ]
    document = own_json(
        turns=turns,
        model=f"Demo {SECRET}",
        harness={"name": SECRET, "version": SECRET},
        reasoning_effort=SECRET,
        device=SECRET,
        place={"prompt": 0, "number": 0, "prompt_tag": SECRET},
        api_key=SECRET,
        headers={"Authorization": f"Bearer {SECRET}"},
    )
    run = {
        name: content.replace(b"exp_001", SECRET.encode()).replace(b"k" * 20, SECRET.encode())
        for name, content in members(SMALL)
    }
    renamed = {name.replace("exp_001", SECRET): content for name, content in run.items()}
    return {
        "one.json": document,
        "run.tar.gz": as_tar_gz(iter(renamed.items())),
        f"{SECRET}.cu": KERNEL,
    }


def everything_stored(folder: Path) -> bytes:
    """Every row of every table and every file of the state folder."""
    rows = [
        serializers.serialize("json", model._default_manager.all()) for model in apps.get_models()
    ]
    files = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    return "\n".join(rows).encode() + b"\n".join(files)


@pytest.mark.parametrize("number", range(3))
def test_a_secret_is_kept_nowhere(
    number: int, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    name, content = list(with_secrets().items())[number]
    submission = read(upload(person(), content, name))
    assert submission.state == "understood"
    said_of_it = submission.understood
    submission = imported(confirmed(submission))
    assert (submission.state, spooled()) == ("imported", [])
    stored = everything_stored(settings.HOME)
    assert len(stored) > 1000
    assert SECRET.encode() not in stored
    assert json.dumps(SECRET).encode() not in stored
    assert SECRET not in said_of_it
    assert SECRET not in caplog.text
    assert (b"[scrubbed:" in stored) is True


def test_what_was_taken_out_is_counted_and_located(settings: Settings) -> None:
    preview = stored_preview(read(upload(person(), with_secrets()["one.json"], "one.json")))
    assert preview is not None
    assert preview.secrets >= 9
    assert any("turns[0]" in one.where for one in preview.removed)
    assert [(one.word, one.turns) for one in preview.missing] == [("scrubbed", 1)]
    assert preview.kernels == 1


def test_a_kernel_that_scrubbing_changed_is_kept_and_not_judged() -> None:
    imported(confirmed(read(upload(person(), with_secrets()["one.json"], "one.json"))))
    changed, whole = Turn.objects.order_by("number")
    assert (changed.missing, changed.kernel is not None) == ("scrubbed", True)
    assert list(Run.objects.values_list("kernel", flat=True)) == [whole.kernel_id]


def test_what_is_uploaded_is_its_owners_alone_on_the_disk(settings: Settings) -> None:
    submission = upload(person(), KERNEL)
    path = settings.UPLOAD_SPOOL / submission.uid.hex
    assert path.stat().st_mode & 0o777 == 0o600
    assert settings.UPLOAD_SPOOL.stat().st_mode & 0o777 == 0o700
    imported(confirmed(read(submission)))
    assert (settings.HOME / "artifacts").stat().st_mode & 0o777 == 0o700
