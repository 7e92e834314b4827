"""The API of submissions: hand in whole or in parts, follow, confirm, take back, with a token that may."""

import hashlib
import io
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings
from submission_steps import (
    GEMM,
    KERNEL,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    program_of,
    read,
    spooled,
    upload,
)

from evaluation.models import Run
from portal.accounts.models import User
from portal.api.models import Scope
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken, add_part
from portal.uploads.spool import spool

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions"
BYTES = "application/octet-stream"


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


@pytest.fixture
def ada() -> User:
    return person()


@pytest.fixture
def program(ada: User) -> Client:
    return program_of(ada)


def announced(program: Client, size: int, sha256: str = "", name: str = "run.tar.gz") -> Any:
    said = {"name": name, "size": size, "sha256": sha256}
    return program.post(SUBMISSIONS, said, content_type="application/json")


def part(program: Client, uid: object, offset: object, content: bytes) -> Any:
    return program.patch(
        f"{SUBMISSIONS}/{uid}/content", content, BYTES, headers={"Upload-Offset": str(offset)}
    )


def test_a_file_in_one_request_is_a_submission_with_the_next_step_in_words(program: Client) -> None:
    response = program.post(SUBMISSIONS, {"file": SimpleUploadedFile("mine.cu", KERNEL)})
    assert response.status_code == 201
    said = response.json()
    assert (said["state"], said["file_name"], said["size"]) == ("received", "mine.cu", len(KERNEL))
    assert said["sha256"] == hashlib.sha256(KERNEL).hexdigest()
    assert said["next_step"] == "It waits to be read. There is nothing to do."


def test_the_same_bytes_again_are_the_submission_that_there_is(program: Client, ada: User) -> None:
    first = read(upload(ada))
    response = program.post(SUBMISSIONS, {"file": SimpleUploadedFile("again.cu", KERNEL)})
    assert (response.status_code, response.json()["uid"]) == (200, str(first.uid))
    announced_again = announced(program, len(KERNEL), hashlib.sha256(KERNEL).hexdigest())
    assert (announced_again.status_code, announced_again.json()["uid"]) == (200, str(first.uid))
    assert spooled() == [first.uid.hex]


def test_an_upload_in_parts_goes_on_where_it_was_interrupted(program: Client) -> None:
    digest = hashlib.sha256(KERNEL).hexdigest()
    made = announced(program, len(KERNEL), digest, "k.cu")
    assert (made.status_code, made["Upload-Offset"]) == (201, "0")
    uid = made.json()["uid"]
    assert part(program, uid, 0, KERNEL[:10]).json()["received"] == 10
    assert program.get(f"{SUBMISSIONS}/{uid}")["Upload-Offset"] == "10"
    again = part(program, uid, 0, KERNEL[:10])
    assert (again.status_code, again.json()["error"], again.json()["offset"]) == (
        409,
        "wrong_offset",
        10,
    )
    last = part(program, uid, 10, KERNEL[10:])
    assert (last.status_code, last.json()["state"]) == (200, "received")
    submission = read(Submission.objects.get())
    assert (submission.state, submission.sha256) == ("understood", digest)


def test_bytes_that_were_never_acknowledged_are_written_again(program: Client) -> None:
    uid = announced(program, len(KERNEL), "", "k.cu").json()["uid"]
    part(program, uid, 0, KERNEL[:10])
    submission = Submission.objects.get()
    with spool().path(submission.uid).open("ab") as file:
        file.write(b"what a server wrote that was killed before it said so")
    part(program, uid, 10, KERNEL[10:])
    submission.refresh_from_db()
    assert submission.sha256 == hashlib.sha256(KERNEL).hexdigest()


def test_an_empty_part_completes_an_upload_whose_last_answer_was_lost(program: Client) -> None:
    uid = announced(program, len(KERNEL), "", "k.cu").json()["uid"]
    submission = Submission.objects.get()
    with spool().writing(submission.uid) as writing:
        writing.put(KERNEL, offset=0)
    Submission.objects.update(received=len(KERNEL))  # and then the server was killed
    assert part(program, uid, len(KERNEL), b"").json()["state"] == "received"


def test_other_bytes_than_announced_are_refused_and_removed(program: Client) -> None:
    uid = announced(program, len(KERNEL), "0" * 64).json()["uid"]
    response = part(program, uid, 0, KERNEL)
    assert (response.status_code, response.json()["error"]) == (422, "wrong_digest")
    assert not Submission.objects.exists()
    assert spooled() == []


def test_parts_that_end_in_known_bytes_are_the_submission_that_there_is(
    program: Client, ada: User
) -> None:
    first = read(upload(ada))
    uid = announced(program, len(KERNEL)).json()["uid"]
    response = part(program, uid, 0, KERNEL)
    assert (response.status_code, response.json()["uid"]) == (200, str(first.uid))
    assert Submission.objects.get() == first
    assert spooled() == [first.uid.hex]


class Overtaken(io.BytesIO):
    """A body that hangs after ten bytes, until its sender has given up and sent everything anew."""

    def __init__(self, program: Client, uid: str) -> None:
        super().__init__(KERNEL)
        self._program = program
        self._uid = uid

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() == 10:
            assert part(self._program, self._uid, 0, KERNEL).json()["state"] == "received"
        return super().read(10)


def test_a_request_that_hangs_is_overtaken_by_the_next_one(program: Client) -> None:
    uid = announced(program, len(KERNEL), "", "k.cu").json()["uid"]
    submission = Submission.objects.get()
    with pytest.raises(NotTaken, match="takes no more bytes"):
        add_part(submission, Overtaken(program, uid), offset=0, at=submission.created_at)
    submission.refresh_from_db()
    assert submission.sha256 == hashlib.sha256(KERNEL).hexdigest()
    assert spool().path(submission.uid).read_bytes() == KERNEL


@pytest.mark.parametrize(
    ("offset", "content", "status", "error"),
    [
        ("", b"a", 400, "bad_request"),
        ("-1", b"a", 400, "bad_request"),
        ("0x1", b"a", 400, "bad_request"),
        ("9" * 40, b"a", 400, "bad_request"),
        (0, bytes(200), 400, "bad_request"),
        (5, b"a", 409, "wrong_offset"),
    ],
)
def test_a_part_that_does_not_fit_is_refused_in_words(
    program: Client, offset: object, content: bytes, status: int, error: str
) -> None:
    uid = announced(program, 100).json()["uid"]
    response = part(program, uid, offset, content)
    said = response.json()
    assert (response.status_code, said["error"]) == (status, error)
    assert said["what"]
    assert said["do"]
    assert Submission.objects.get().received == 0


def test_a_part_has_its_limit(program: Client, settings: Settings) -> None:
    settings.UPLOAD_LIMITS = {"part_bytes": 50}
    uid = announced(program, 100).json()["uid"]
    assert part(program, uid, 0, bytes(51)).status_code == 413
    assert part(program, uid, 0, bytes(50)).status_code == 200


@pytest.mark.parametrize(
    ("size", "status", "error"), [(0, 400, "empty"), ((1 << 30) + 1, 413, "too_large")]
)
def test_what_is_too_large_or_empty_is_refused_when_it_is_announced(
    program: Client, size: int, status: int, error: str
) -> None:
    response = announced(program, size)
    assert (response.status_code, response.json()["error"]) == (status, error)
    assert spooled() == []


def test_the_room_of_unfinished_uploads_counts_what_was_announced(
    program: Client, settings: Settings
) -> None:
    settings.UPLOAD_LIMITS = {"unfinished_bytes": 1000}
    assert announced(program, 600).status_code == 201
    response = announced(program, 401)
    assert (response.status_code, response.json()["error"]) == (429, "too_many_unfinished")
    assert announced(program, 400).status_code == 201


def test_it_is_confirmed_with_what_the_preview_suggests(program: Client, ada: User) -> None:
    submission = read(upload(ada, own_json(), "one.json"))
    address = f"{SUBMISSIONS}/{submission.uid}"
    preview = program.get(address).json()["preview"]
    assert (preview["turns"], preview["kernels"], preview["problems"]) == (2, 1, [GEMM])
    said = {"licence": "MIT", "consent": True}
    response = program.post(f"{address}/confirm", said, content_type="application/json")
    assert (response.status_code, response.json()["state"]) == (200, "confirmed")
    imported(submission)
    done = program.get(address).json()
    assert (done["state"], done["done"], done["total"]) == ("imported", 1, 1)
    turns = program.get(f"{address}/turns").json()
    assert turns["is_pending"] is True
    first, second = turns["trajectories"][0]["turns"]
    assert (first["place"], first["run_state"], first["next_step"]) == (
        1,
        "waiting",
        "It is the next one.",
    )
    assert (second["kernel"], second["state"]) == ("", "judged")
    again = program.post(f"{address}/confirm", said, content_type="application/json")
    assert (again.status_code, again.json()["error"]) == (409, "wrong_state")


def test_what_cannot_be_confirmed_names_its_fields(program: Client, ada: User) -> None:
    submission = read(upload(ada))
    address = f"{SUBMISSIONS}/{submission.uid}/confirm"
    response = program.post(address, {"consent": False}, content_type="application/json")
    assert response.status_code == 400
    assert response.json()["fields"].keys() == {"consent", "licence", "model", "problem", "target"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("embargo_until", value) for value in (True, 5, 1.5)),
        *(("licence", value) for value in (False, 0)),
        ("problem", 10**30),
        ("turns", True),
        ("turns", 1.5),
        ("model", None),
        ("consent", 0),
    ],
)
def test_a_value_of_another_kind_is_named_as_any_that_cannot_be(
    program: Client, ada: User, field: str, value: object
) -> None:
    submission = read(upload(ada, own_json(), "one.json"))
    whole = {"consent": True, "licence": "CC0-1.0", field: value}
    address = f"{SUBMISSIONS}/{submission.uid}/confirm"
    response = program.post(address, whole, content_type="application/json")
    assert (response.status_code, list(response.json()["fields"])) == (400, [field])


@pytest.mark.parametrize("value", [["a"], {"a": 1}], ids=["list", "object"])
def test_a_list_is_not_taken_for_a_name(program: Client, ada: User, value: object) -> None:
    submission = read(upload(ada, own_json(), "one.json"))
    whole = {"consent": True, "licence": "CC0-1.0", "model": value}
    address = f"{SUBMISSIONS}/{submission.uid}/confirm"
    response = program.post(address, whole, content_type="application/json")
    assert (response.status_code, response.json()["what"]) == (400, "model is a list or an object")


@pytest.mark.parametrize("body", ["[]", "{", "null", '"a"', '{"size": [1]}'])
def test_a_body_that_is_no_such_object_is_refused_in_words(program: Client, body: str) -> None:
    response = program.post(SUBMISSIONS, body, content_type="application/json")
    assert response.status_code == 400
    assert response.json().keys() >= {"error", "what", "do"}


def test_it_is_taken_back_and_withdrawn(program: Client, ada: User) -> None:
    first = upload(ada)
    assert program.post(f"{SUBMISSIONS}/{first.uid}/cancel").json()["state"] == "withdrawn"
    assert program.post(f"{SUBMISSIONS}/{first.uid}/cancel").status_code == 409
    second = imported(confirmed(read(upload(ada))))
    address = f"{SUBMISSIONS}/{second.uid}/withdraw"
    assert program.post(address, {}, content_type="application/json").status_code == 400
    said = {"reason": "Wrong model."}
    response = program.post(address, said, content_type="application/json")
    assert response.json()["state"] == "withdrawn"
    assert Run.objects.get().state == "cancelled"


@pytest.mark.parametrize(
    ("method", "step"),
    [
        ("get", ""),
        ("get", "/turns"),
        ("patch", "/content"),
        ("post", "/confirm"),
        ("post", "/cancel"),
        ("post", "/withdraw"),
    ],
)
def test_what_is_another_persons_is_not_told_apart_from_what_is_not_there(
    ada: User, method: str, step: str
) -> None:
    submission = read(upload(ada))
    program = program_of(person("bob@example.org"))
    ask = getattr(program, method)
    more = {"content_type": BYTES, "headers": {"Upload-Offset": "0"}} if method == "patch" else {}
    there = ask(f"{SUBMISSIONS}/{submission.uid}{step}", **more)
    nowhere = ask(f"{SUBMISSIONS}/{uuid4()}{step}", **more)
    assert there.status_code == nowhere.status_code == 404
    assert there.json() == nowhere.json()
    assert program.get(SUBMISSIONS).json() == []


def test_the_list_has_the_newest_first_and_goes_on(program: Client, ada: User) -> None:
    first, second = upload(ada), upload(ada, own_json(), "one.json")
    assert [one["uid"] for one in program.get(SUBMISSIONS).json()] == [
        str(second.uid),
        str(first.uid),
    ]
    assert [one["uid"] for one in program.get(f"{SUBMISSIONS}?first=1").json()] == [str(first.uid)]
    assert program.get(f"{SUBMISSIONS}?first=-1e-13").status_code == 400


def test_a_token_that_may_read_changes_nothing(ada: User) -> None:
    submission = read(upload(ada))
    reader = program_of(ada, Scope.READ)
    assert reader.get(f"{SUBMISSIONS}/{submission.uid}").status_code == 200
    response = reader.post(f"{SUBMISSIONS}/{submission.uid}/cancel")
    assert (response.status_code, response.json()["error"]) == (403, "not_allowed")
    assert reader.post(SUBMISSIONS, {"file": SimpleUploadedFile("k", b"k")}).status_code == 403
    submission.refresh_from_db()
    assert submission.state == "understood"


@pytest.mark.parametrize(
    "header", [None, "Token", "Token no", "Token a b", "Bearer x", "Token \xff\xfe", "Token ptxb_"]
)
def test_without_a_token_that_there_is_nothing_is_told(client: Client, header: str | None) -> None:
    headers = {"Authorization": header} if header else {}
    response = client.get(SUBMISSIONS, headers=headers)
    assert (response.status_code, response.json()["error"]) == (401, "no_token")
    assert response["WWW-Authenticate"] == "Token"


def test_being_signed_in_to_the_pages_opens_nothing_here(client: Client, ada: User) -> None:
    client.force_login(ada)
    assert client.get(SUBMISSIONS).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        '{"a":' * 20 + "1" + "}" * 20,
        '{"size": 1, "size": 2}',
        '{"size": NaN}',
        '{"name": "\\ud800"}',
    ],
)
def test_a_body_that_is_long_deep_or_says_a_thing_twice_is_refused(
    program: Client, body: str
) -> None:
    response = program.post(SUBMISSIONS, body, content_type="application/json")
    assert (response.status_code, response.json()["error"]) == (400, "parse_error")
    assert len(response.content) < 1000


def test_a_form_without_its_file_is_told_which_field_it_lacks(program: Client) -> None:
    answer = program.post(SUBMISSIONS, {"other": SimpleUploadedFile("kernel.cu", b"int x;")})
    assert answer.status_code == 400
    assert answer.json()["what"] == "the form has no file"
    assert "“file”" in answer.json()["do"]


def test_what_fields_lack_is_said_in_words(program: Client) -> None:
    answer = program.post(SUBMISSIONS, {"size": 5}, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["what"] == "name: This field is required."


@pytest.mark.parametrize("path", ["", "v1/", "v1/nothing", "v1/runs/xyz", "v1/submissions/nope"])
def test_an_address_that_nothing_is_at_is_answered_as_json_to_programs(
    program: Client, path: str
) -> None:
    answer = program.get(f"/api/{path}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/json")
    assert set(answer.json()) == {"error", "what", "do"}


def test_people_get_a_page_where_nothing_is() -> None:
    answer = Client().get("/nothing/")
    assert answer.status_code == 404
    assert answer["Content-Type"].startswith("text/html")
