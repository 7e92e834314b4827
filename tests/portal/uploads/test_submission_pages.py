"""The pages of submissions: who may do what, what they say, and that they work without script."""

import io
import re
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from evaluation_rows import done_attempt, stage_report
from pytest_django import Settings
from submission_steps import (
    GEMM,
    KERNEL,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    read,
    spooled,
    upload,
)

from evaluation.core import wire
from evaluation.core.records import StageReport
from evaluation.core.verdict import Stage
from evaluation.models import Entry, Run
from portal.accounts.models import User
from portal.uploads.models import Submission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _folder(settings: Settings, tmp_path: Path) -> None:
    own_folder(settings, tmp_path)


@pytest.fixture
def ada() -> User:
    return person()


@pytest.fixture
def adas(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


@pytest.mark.parametrize(
    "address",
    [
        "/submissions/",
        "/submissions/new/",
        "/submissions/6d1b1a52-3b57-4c19-8f0c-5f3ad6a2f0c1/",
        "/tokens/",
    ],
)
def test_who_is_not_signed_in_is_asked_to(client: Client, address: str) -> None:
    response = client.get(address)
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def test_a_file_is_handed_in_read_confirmed_and_followed(adas: Client, ada: User) -> None:
    file = SimpleUploadedFile("mine.cu", KERNEL)
    response = adas.post("/submissions/new/", {"file": file})
    submission = Submission.objects.get()
    page = f"/submissions/{submission.uid}/"
    assert (response.status_code, response["Location"]) == (302, page)
    assert "State: received" in text_of(adas, page)
    read(submission)
    checked = text_of(adas, page)
    assert "1 trajectory, 1 turn, 1 kernel to judge<" in checked
    assert f'<option value="{GEMM}">' in checked
    form = {
        "model": "Ada",
        "problem": GEMM,
        "target": "hopper",
        "prompts": 1,
        "trajectories": 1,
        "turns": 1,
        "licence": "MIT",
        "visibility": "private",
        "consent": "on",
    }
    assert adas.post(f"{page}confirm/", form).status_code == 302
    submission.refresh_from_db()
    assert submission.state == "confirmed"
    imported(submission)
    followed = text_of(adas, page)
    assert "It is the next one." in followed
    assert "mine.cu" in text_of(adas, "/submissions/")
    assert Entry.objects.get().licence == "MIT"


def test_what_was_not_understood_lies_open_where_no_kernel_was_found(
    adas: Client, ada: User
) -> None:
    wrong = {"kernel": 7, "reply": "I give up.", "event": "no_code"}
    without = read(upload(ada, own_json(turns=[wrong]), "without.json"))
    right = {"kernel": KERNEL.decode(), "reply": "Here.", "event": "evaluation"}
    with_one = read(upload(ada, own_json(turns=[right, wrong]), "with.json"))
    summary = "<summary>What was not understood"
    page = text_of(adas, f"/submissions/{without.uid}/")
    assert "0 kernels to judge" in page
    assert f"<details open> {summary}" in page
    page = text_of(adas, f"/submissions/{with_one.uid}/")
    assert "1 kernel to judge" in page
    assert f"<details> {summary}" in page


def test_text_that_is_pasted_is_taken_as_it_is(adas: Client) -> None:
    adas.post("/submissions/new/", {"text": KERNEL.decode(), "name": "folder/k.cu"})
    submission = Submission.objects.get()
    assert (submission.file_name, submission.size) == ("k.cu", len(KERNEL))


@pytest.mark.parametrize(
    "form", [{}, {"text": "a", "file": io.BytesIO(b"b")}, {"file": io.BytesIO(b"")}]
)
def test_neither_both_nor_nothing_is_taken(adas: Client, form: dict[str, object]) -> None:
    assert adas.post("/submissions/new/", form).status_code == 400
    assert not Submission.objects.exists()
    assert spooled() == []


def test_the_same_bytes_again_lead_to_what_became_of_them(adas: Client, ada: User) -> None:
    first = read(upload(ada))
    response = adas.post("/submissions/new/", {"file": SimpleUploadedFile("again.cu", KERNEL)})
    assert response["Location"] == f"/submissions/{first.uid}/"
    assert Submission.objects.count() == 1
    assert spooled() == [first.uid.hex]


@pytest.mark.parametrize(
    ("wrong", "said_of_it"),
    [
        ({"consent": ""}, "This field is required"),
        ({"licence": ""}, "This field is required"),
        ({"model": ""}, "This field is required"),
        ({"turns": 1}, "The upload has 2; as many have to be declared."),
        ({"turns": 10_001}, "less than or equal to 10000"),
        ({"visibility": "embargoed"}, "A date belongs to an embargo"),
        ({"embargo_until": "2027-01-31T12:00"}, "A date belongs to an embargo"),
        (
            {"visibility": "embargoed", "embargo_until": "2020-01-01T00:00"},
            "An embargo ends in the future",
        ),
    ],
)
def test_what_cannot_be_confirmed_is_said_at_its_field_and_nothing_is_imported(
    adas: Client, ada: User, wrong: dict[str, object], said_of_it: str
) -> None:
    submission = read(upload(ada, own_json(), "one.json"))
    right = {
        "model": "Demo 1",
        "prompts": 1,
        "trajectories": 1,
        "turns": 2,
        "licence": "MIT",
        "visibility": "private",
        "consent": "on",
    }
    response = adas.post(f"/submissions/{submission.uid}/confirm/", right | wrong)
    assert response.status_code == 400
    assert said_of_it in response.content.decode()
    submission.refresh_from_db()
    assert submission.state == "understood"


def test_an_upload_without_a_problem_of_ours_needs_one(adas: Client, ada: User) -> None:
    submission = read(upload(ada))
    form = {"model": "Ada", "prompts": 1, "trajectories": 1, "turns": 1, "licence": "MIT"}
    form |= {"visibility": "private", "consent": "on"}
    response = adas.post(f"/submissions/{submission.uid}/confirm/", form)
    page = response.content.decode()
    assert "The upload names no problem that is judged here; choose one." in page
    assert "does not say for which target it is; choose one." in page


@pytest.mark.parametrize("step", ["", "live/", "confirm/", "cancel/", "withdraw/"])
def test_another_persons_submission_is_not_there(client: Client, ada: User, step: str) -> None:
    submission = read(upload(ada))
    client.force_login(person("bob@example.org"))
    address = f"/submissions/{submission.uid}/{step}"
    ask = client.get if step in {"", "live/"} else client.post
    there = ask(address)
    nowhere = ask(address.replace(str(submission.uid), str(uuid4())))
    assert there.status_code == nowhere.status_code == 404
    submission.refresh_from_db()
    assert submission.state == "understood"
    assert submission.file_name not in client.get("/submissions/").content.decode()


def test_staff_see_a_submission_and_decide_nothing_about_it(client: Client, ada: User) -> None:
    submission = read(upload(ada))
    client.force_login(person("root@example.org", staff=True))
    page = text_of(client, f"/submissions/{submission.uid}/")
    assert "What was understood" in page
    assert "confirm/" not in page
    assert "cancel/" not in page
    assert client.post(f"/submissions/{submission.uid}/cancel/").status_code == 404


@pytest.mark.parametrize("step", ["confirm", "cancel", "withdraw"])
def test_a_link_changes_nothing(adas: Client, ada: User, step: str) -> None:
    submission = read(upload(ada))
    assert adas.get(f"/submissions/{submission.uid}/{step}/").status_code == 405


@pytest.mark.parametrize("step", ["confirm", "cancel", "withdraw"])
def test_a_form_from_another_site_changes_nothing(ada: User, step: str) -> None:
    submission = read(upload(ada))
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(f"/submissions/{submission.uid}/{step}/").status_code == 403
    assert strict.post("/submissions/new/", {"text": "a"}).status_code == 403
    submission.refresh_from_db()
    assert submission.state == "understood"


def test_taking_back_removes_the_bytes(adas: Client, ada: User) -> None:
    submission = read(upload(ada))
    adas.post(f"/submissions/{submission.uid}/cancel/")
    submission.refresh_from_db()
    assert (submission.state, spooled()) == ("withdrawn", [])
    assert "You took it back." in text_of(adas, f"/submissions/{submission.uid}/")


def test_withdrawing_needs_a_reason_and_leaves_a_tombstone(adas: Client, ada: User) -> None:
    submission = imported(confirmed(read(upload(ada))))
    address = f"/submissions/{submission.uid}/withdraw/"
    assert adas.post(address, {"reason": " "}).status_code == 400
    assert adas.post(address, {"reason": "Wrong model."}).status_code == 302
    assert Entry.objects.get().withdrawn_reason == "Wrong model."
    submission.refresh_from_db()
    assert submission.state == "withdrawn"


def test_the_part_that_changes_is_sent_once_until_it_changes(adas: Client, ada: User) -> None:
    submission = imported(confirmed(read(upload(ada))))
    address = f"/submissions/{submission.uid}/live/"
    first = adas.get(address)
    assert "no-cache" in first["Cache-Control"]
    again = adas.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    Run.objects.update(waits_for="waits for hardware: no Hopper worker is connected")
    changed = adas.get(address, headers={"If-None-Match": first["ETag"]})
    assert changed.status_code == 200
    assert "no Hopper worker is connected" in changed.content.decode()


def test_the_stages_of_a_run_are_shown_as_they_come(adas: Client, ada: User) -> None:
    submission = imported(confirmed(read(upload(ada))))
    Run.objects.update(state="preparing", device="h200")
    report = StageReport(Stage.POLICY, "The source keeps to the rules.")
    stage_report(
        attempt=done_attempt(run=Run.objects.get()),
        body=wire.encode(report).decode(),
        reported_at=timezone.now(),
    )
    page = text_of(adas, f"/submissions/{submission.uid}/live/")
    assert "policy: The source keeps to the rules." in page
    assert "It is being judged." in page


@pytest.mark.parametrize(
    ("age_seconds", "trigger"), [(0, 'data-hx-trigger="every 2s"'), (90, 'hx-trigger="every 10s"')]
)
def test_a_page_asks_again_less_often_when_nothing_happens(
    adas: Client, ada: User, age_seconds: int, trigger: str
) -> None:
    submission = upload(ada)
    Submission.objects.update(changed_at=timezone.now() - timedelta(seconds=age_seconds))
    assert trigger in text_of(adas, f"/submissions/{submission.uid}/live/")


def test_a_page_stops_asking_when_nothing_more_will_change(adas: Client, ada: User) -> None:
    submission = imported(confirmed(read(upload(ada))))
    address = f"/submissions/{submission.uid}/live/"
    assert "hx-trigger" in text_of(adas, address)
    Run.objects.update(state="cancelled", finished_at=timezone.now())
    assert "hx-trigger" not in text_of(adas, address)


def test_a_page_that_waits_for_its_owner_does_not_ask_and_is_loaded_anew_by_script(
    adas: Client, ada: User
) -> None:
    submission = read(upload(ada))
    address = f"/submissions/{submission.uid}/live/"
    assert "hx-trigger" not in text_of(adas, address)
    assert adas.get(address, headers={"HX-Request": "true"})["HX-Refresh"] == "true"


def test_every_page_keeps_to_the_policy(adas: Client, ada: User) -> None:
    submission = read(upload(ada, own_json(), "one.json"))
    for address in (
        "/submissions/",
        "/submissions/new/",
        f"/submissions/{submission.uid}/",
        "/tokens/",
    ):
        page = adas.get(address).content.decode()
        assert "<style" not in page
        assert re.findall(r"<script(?![^>]* src=\"/static/)", page) == []
        assert re.findall(r"\s(?:style|on[a-z]+)=", page) == []


def test_what_a_stranger_called_a_file_is_text_on_the_page(adas: Client, ada: User) -> None:
    submission = read(upload(ada, KERNEL, '"><img src=x onerror=alert(1)>\n\x1b[31m.cu'))
    page = adas.get(f"/submissions/{submission.uid}/").content.decode()
    assert "&quot;&gt;&lt;img src=x onerror=alert(1)&gt; [31m.cu" in page
    assert "<img" not in page


def test_progress_is_told_while_a_worker_reads_and_imports(adas: Client, ada: User) -> None:
    submission = upload(ada)
    address = f"/submissions/{submission.uid}/live/"
    Submission.objects.update(state="reading", done=7)
    assert "Read so far: 7 trajectories." in text_of(adas, address)
    Submission.objects.update(state="importing", done=3, total=9)
    assert "Imported so far: 3 of 9 trajectories." in text_of(adas, address)


def test_an_owner_is_asked_for_what_an_upload_lacks_until_they_have_said_it(
    adas: Client, ada: User
) -> None:
    submission = read(upload(ada))
    address = f"/submissions/{submission.uid}/"
    lacks = "Without a problem that is judged here: 1 trajectory. Without a target: 1 trajectory. "
    assert f"{lacks}Say below what both are; what stays without is not imported.<" in text_of(
        adas, address
    )
    imported(confirmed(submission))
    after = text_of(adas, address)
    assert lacks in after
    assert "is not imported" not in after


def test_a_turn_that_is_not_judged_does_not_look_judged(adas: Client, ada: User) -> None:
    nothing_to_judge = own_json(turns=[{"reply": "no code"}])
    submission = read(upload(ada, nothing_to_judge, "one.json"))
    address = f"/submissions/{submission.uid}/"
    assert "<li>1 turn: no code in the reply</li>" in text_of(adas, address)
    imported(confirmed(submission))
    assert "<td>not judged</td>" in text_of(adas, address)


def test_staff_look_at_all_submissions_and_change_none(client: Client, ada: User) -> None:
    submission = upload(ada)
    root = User.objects.create_superuser("root", email="root@example.org", password="x" * 20)
    client.force_login(root)
    page = client.get("/admin/uploads/submission/").content.decode()
    assert str(submission.uid) in page
    one = client.get(f"/admin/uploads/submission/{submission.pk}/change/")
    assert one.status_code == 200
    assert "Save" not in one.content.decode()
    assert client.post(f"/admin/uploads/submission/{submission.pk}/delete/").status_code == 403
