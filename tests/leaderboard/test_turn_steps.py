"""From turn to turn of a trajectory: by links that need no script, and by the arrow keys."""

import re

import judged_rows as rows
import pytest
from chromium_browser import MISSING, is_there, launched, watched
from django.test import Client
from judged_rows import AT
from page_reading import found_in, strictly
from pytest_django.live_server_helper import LiveServer

from evaluation.models import Trajectory
from leaderboard.projection import rebuild


def trajectory_of(word: str) -> str:
    entry = rows.judged([word, *["-" * len(word)] * 4])
    rebuild(at=AT)
    return f"/trajectories/{Trajectory.objects.get(entry=entry, number=0).uid}/"


@pytest.mark.django_db
def test_each_turn_leads_to_the_one_before_and_the_one_behind_it(client: Client) -> None:
    page = client.get(trajectory_of("p-n")).content.decode()
    strictly(page)
    steps = re.findall(r'<a rel="(prev|next)" href="(#turn-\d)">', page)
    assert steps == [
        ("next", "#turn-2"),
        ("prev", "#turn-1"),
        ("next", "#turn-3"),
        ("prev", "#turn-2"),
    ]
    assert {"turn-1", "turn-2", "turn-3"} <= found_in(page).names


@pytest.mark.django_db
def test_a_turn_alone_leads_to_no_other(client: Client) -> None:
    page = client.get(trajectory_of("p")).content.decode()
    assert 'rel="prev"' not in page
    assert 'rel="next"' not in page


@pytest.mark.chromium
@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(300)
@pytest.mark.skipif(not is_there(), reason=MISSING)
def test_arrow_keys_go_from_turn_to_turn_and_stay_at_the_ends(live_server: LiveServer) -> None:
    address = live_server.url + trajectory_of("p-n")
    with launched() as browser, watched(browser, viewport={"width": 900, "height": 300}) as seen:
        page = seen.page
        page.goto(address)
        assert page.locator("#turn-keys").is_visible()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.shift") < 0.01
        reached = []
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
            page.keyboard.press(key)
            reached.append(page.evaluate("document.activeElement.id || location.hash"))
        assert reached == ["turn-1", "turn-2", "turn-3", "turn-3", "turn-2"]
        page.keyboard.press("Alt+ArrowRight")
        assert page.evaluate("document.activeElement.id") == "turn-2"
        assert page.url.endswith("#turn-2")
        assert seen.violations() == []
        assert seen.said == []
