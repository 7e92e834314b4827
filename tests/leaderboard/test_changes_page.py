"""The page of what changed: the items of the feed, those of the last seven days apart, and nothing hidden."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT
from page_reading import found_in, strictly, text_of

from evaluation.models import Turn
from leaderboard.projection import rebuild
from leaderboard.views import feed_views

pytestmark = pytest.mark.django_db


def page_at(client: Client, monkeypatch: pytest.MonkeyPatch, now: datetime) -> str:
    monkeypatch.setattr(feed_views, "timezone", SimpleNamespace(now=lambda: now))
    page = client.get("/changes/").content.decode()
    strictly(page)
    return page


def parts(page: str) -> list[str]:
    """What stands in the last seven days, and before."""
    said = text_of(page[page.index("</h1>") : page.index("</main>")])
    return said.split("In the last seven days", 1)[1].split("Before", 1)


@pytest.mark.parametrize(
    ("age", "place"),
    [(timedelta(days=7), 0), (timedelta(days=7, seconds=1), 1)],
    ids=["new", "old"],
)
def test_a_record_stands_in_the_week_it_was_set_in_and_leads_to_its_kernel(
    client: Client, monkeypatch: pytest.MonkeyPatch, age: timedelta, place: int
) -> None:
    entry = rows.judged(["p"], single_kernel=True, ratio=0.5, model=rows.model(name="First"))
    rebuild(at=AT)
    page = page_at(client, monkeypatch, AT + age)
    found = parts(page)
    assert "Record: 0.5000× at gemm_n7168_k5120 on H200, by First" in found[place]
    assert found[1 - place].strip() == "Nothing."
    kernel = Turn.objects.get(trajectory__entry=entry).kernel
    assert kernel is not None
    assert f"/kernels/{kernel.sha256}/" in found_in(page).links
    assert "/changes/" in found_in(client.get("/").content.decode()).links


def test_what_is_held_or_private_changed_nothing_that_is_told(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows.judged(["h"], single_kernel=True, ratio=2.0, model=rows.model(name="Held"))
    rows.judged(["p"], single_kernel=True, ratio=3.0, visibility="private")
    rebuild(at=AT)
    found = parts(page_at(client, monkeypatch, AT))
    assert [one.strip() for one in found] == ["Nothing.", "Nothing."]
