"""The list of one's own submissions as CSV and JSON: its rows and columns, for its owner alone."""

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from django.test import Client
from submission_steps import person

from portal.accounts.models import User
from portal.uploads.models import Submission

pytestmark = pytest.mark.django_db

FILE = "/submissions.csv"


def submission(of: User, name: str, day: int, **columns: object) -> Submission:
    at = datetime(2026, 11, day, tzinfo=UTC)
    whole = {"owner": of.owner, "uploader": of.owner, "created_at": at, "changed_at": at}
    bytes_of = {"file_name": name, "size": day, "sha256": f"{day:064x}"}
    return Submission.objects.create(
        **{"received": columns.get("size", day)} | whole | bytes_of | columns
    )


def signed_in(who: User) -> Client:
    client = Client()
    client.force_login(who, backend="django.contrib.auth.backends.ModelBackend")
    return client


def read(client: Client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200, answer
    assert answer["Content-Disposition"] == 'attachment; filename="submissions.csv"'
    return list(csv.DictReader(io.StringIO(answer.getvalue().decode())))


def test_the_file_has_a_row_a_submission_newest_first_with_full_numbers() -> None:
    ada = person()
    old = submission(ada, "=delta.zip", 1, state="refused", refused="It is no kernel.", size=40_000)
    new = submission(ada, "beta.zip", 2, state="importing", size=10, total=7, done=3)
    client = signed_in(ada)
    assert read(client, FILE) == [
        {
            "submission": str(new.uid),
            "submission_url": f"http://testserver/submissions/{new.uid}/",
            "file_name": "beta.zip",
            "state": "importing",
            "trajectories": "7",
            "imported": "3",
            "size_bytes": "10",
            "created_at": "2026-11-02T00:00:00+00:00",
        },
        {
            "submission": str(old.uid),
            "submission_url": f"http://testserver/submissions/{old.uid}/",
            "file_name": "'=delta.zip",
            "state": "refused",
            "trajectories": "",
            "imported": "",
            "size_bytes": "40000",
            "created_at": "2026-11-01T00:00:00+00:00",
        },
    ]
    same = json.loads(client.get("/submissions.json").getvalue())
    assert same["page"] == "http://testserver/submissions/"
    assert [one["file_name"] for one in same["rows"]] == ["beta.zip", "=delta.zip"]


def test_the_file_has_the_order_and_the_columns_of_its_page_which_leads_to_it() -> None:
    ada = person()
    for day, name in enumerate(("b.zip", "c.zip", "a.zip"), start=1):
        submission(ada, name, day, state="received")
    client = signed_in(ada)
    query = "sort=file&columns=size"
    assert [tuple(one) for one in read(client, f"{FILE}?{query}")] == [
        ("submission", "submission_url", "file_name", "size_bytes")
    ] * 3
    found = [one["file_name"] for one in read(client, f"{FILE}?{query}")]
    assert found == ["a.zip", "b.zip", "c.zip"]
    page = client.get(f"/submissions/?{query}").content.decode()
    for ending in ("csv", "json"):
        assert f'href="/submissions.{ending}?sort=file&amp;columns=size"' in page
    assert [one["file_name"] for one in read(client, f"{FILE}?first=1")] == ["c.zip", "b.zip"]
    assert client.get(f"{FILE}?sort=colour").status_code == 400


def test_nobody_else_gets_a_row_not_even_staff_and_nothing_keeps_the_file() -> None:
    ada = person()
    submission(ada, "secret.zip", 1, state="received")
    answer = Client().get(FILE)
    assert answer.status_code == 302
    assert answer["Location"].startswith("/accounts/login/")
    for other in (person("bob@example.org"), person("eve@example.org", staff=True)):
        assert read(signed_in(other), FILE) == []
    mine = signed_in(ada).get(FILE)
    page = signed_in(ada).get("/submissions/")
    assert mine["Cache-Control"] == page["Cache-Control"]
    assert "private" in mine["Cache-Control"]
    assert "no-cache" in mine["Cache-Control"]
    assert "ETag" not in mine
