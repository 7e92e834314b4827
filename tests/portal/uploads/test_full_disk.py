"""A full disk refuses an upload in words, leaves nothing of it, and takes the rest of one in parts later."""

import errno
import os
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings
from submission_steps import KERNEL, own_folder, person, program_of, spooled

from portal.uploads.models import Submission
from portal.uploads.spool import Spool, Writing

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions"


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def broken(*_: object, **__: object) -> None:
    raise OSError(errno.EIO, os.strerror(errno.EIO))


def sent(program: Client, uid: str, offset: int, content: bytes) -> int:
    address, kind = f"{SUBMISSIONS}/{uid}/content", "application/octet-stream"
    headers = {"Upload-Offset": str(offset)}
    return program.patch(address, content, content_type=kind, headers=headers).status_code


@pytest.mark.parametrize(("kind", "name"), [(Writing, "put"), (Spool, "create")])
def test_an_upload_is_refused_in_words_and_nothing_is_left(
    kind: type, name: str, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kind, name, full)
    ada = person()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    page = client.post("/submissions/new/", {"file": SimpleUploadedFile("k.cu", KERNEL)})
    assert page.status_code == 400
    assert "There is no room for it here now: try again later; staff know." in page.content.decode()
    told = program_of(ada).post(SUBMISSIONS, {"file": SimpleUploadedFile("k.cu", KERNEL)})
    assert (told.status_code, told.json()["error"]) == (507, "no_room")
    assert (Submission.objects.count(), spooled()) == (0, [])


def test_what_arrived_of_an_upload_in_parts_stays_and_the_rest_is_taken_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = program_of(person())
    whole = {"name": "k.cu", "size": len(KERNEL)}
    uid = program.post(SUBMISSIONS, whole, content_type="application/json").json()["uid"]
    assert sent(program, uid, 0, KERNEL[:10]) == 200
    monkeypatch.setattr(Writing, "put", full)
    assert sent(program, uid, 10, KERNEL[10:]) == 507
    monkeypatch.undo()
    assert Submission.objects.get().received == 10
    assert sent(program, uid, 10, KERNEL[10:]) == 200
    assert Submission.objects.get().state == "received"


def test_another_failure_of_the_disk_is_a_mistake_of_ours(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Writing, "put", broken)
    client.force_login(person(), backend="django.contrib.auth.backends.ModelBackend")
    with pytest.raises(OSError, match="Input/output"):
        client.post("/submissions/new/", {"file": SimpleUploadedFile("k.cu", KERNEL)})
    assert (Submission.objects.count(), spooled()) == (0, [])
