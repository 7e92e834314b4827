"""Every page in a real browser, narrow and wide, light and dark: nobody is kept out who cannot see or point."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chromium_browser import MISSING, Watched, is_there, launched, watched
from every_page import PAGES, REFUSALS, pages_of_rows
from own_pages import OwnPages, own_pages
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),  # a browser and a server beside everything else on a busy machine
    pytest.mark.skipif(not is_there(), reason=MISSING),
]
AXE = (Path(__file__).parents[1] / "vendor" / "axe-4.14.1.min.js").read_text()
WIDTHS = (320, 1280)
HEIGHT = 900
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
FOLD_OUT = "() => document.querySelectorAll('details').forEach((one) => { one.open = true; })"
SERIOUS = """async (rules) => {
  const { violations } = await axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
  const worst = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  return worst.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")}`));
}"""


PHONE: "ViewportSize" = {"width": 390, "height": 844}
MOST_STOPS = 40
STOP = """() => {
  const one = document.activeElement;
  const { outlineStyle, outlineWidth } = getComputedStyle(one);
  const { top, bottom, left, right, width, height } = one.getBoundingClientRect();
  const ring = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  const inside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 0 && height > 0;
  return {
    said: one === document.body ? "the page" : one.innerText || one.getAttribute("aria-label") || one.name || one.tagName,
    isSeen: one === document.body || (ring && inside),
  };
}"""


@pytest.fixture
def own(settings: Settings, tmp_path: Path, seeded: Seeded) -> OwnPages:
    settings.UPLOAD_SPOOL = settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "spool"
    return own_pages(seeded)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_stops_anybody_widens_its_window_complains_or_asks_another_host(
    live_server: LiveServer, seeded: Seeded, own: OwnPages, settings: Settings, scheme: str
) -> None:
    everybody, found = PAGES | pages_of_rows(seeded), {}
    with launched() as browser, watched(browser, color_scheme=scheme) as seen:
        for name, path in everybody.items():
            found[name] = troubles(seen, live_server.url, path)
        for name, (path, status) in REFUSALS.items():
            found[name] = troubles(seen, live_server.url, path, status=status)
        seen.page.context.add_cookies(
            [
                {
                    "name": settings.SESSION_COOKIE_NAME,
                    "value": own.session,
                    "url": live_server.url,
                }
            ]
        )
        for name, path in own.pages.items():
            found[name] = troubles(seen, live_server.url, path)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_every_stop_of_the_tab_key_is_seen_where_it_is(
    live_server: LiveServer, seeded: Seeded, own: OwnPages, settings: Settings
) -> None:
    rows, cookie = pages_of_rows(seeded), settings.SESSION_COOKIE_NAME
    pages = {
        "home": PAGES["home"],
        "speed-gemm": PAGES["speed-gemm"],
        "sign-in": PAGES["sign-in"],
        "kernel": rows["kernel"],
        "trajectory": rows["trajectory"],
        "hand-in": own.pages["hand-in"],
        "preview": own.pages["submission-preview"],
    }
    found = {}
    with launched() as browser, watched(browser, viewport=PHONE) as seen:
        for name, path in pages.items():
            if name == "hand-in":
                seen.page.context.add_cookies(
                    [{"name": cookie, "value": own.session, "url": live_server.url}]
                )
            seen.page.goto(live_server.url + path)
            found[name] = unseen_stops(seen)
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_a_submission_that_is_on_its_way_asks_again_by_itself(
    live_server: LiveServer, own: OwnPages, settings: Settings
) -> None:
    with launched() as browser, watched(browser) as seen:
        cookie = settings.SESSION_COOKIE_NAME
        seen.page.context.add_cookies(
            [{"name": cookie, "value": own.session, "url": live_server.url}]
        )
        path = own.pages["submission-arrived"]
        with seen.page.expect_response(f"{live_server.url}{path}live/") as answer:
            seen.page.goto(live_server.url + path)
        assert answer.value.status == 200
        assert seen.page.locator("#live h2").count() == 1
        assert (seen.violations(), seen.said) == ([], [])


def unseen_stops(seen: Watched) -> list[str]:
    """Stops that have no ring around them, or lie outside the window; the first of them is the way past the menu."""
    stops = []
    for _ in range(MOST_STOPS):
        seen.page.keyboard.press("Tab")
        stops.append(seen.page.evaluate(STOP))
    first = [] if stops[0]["said"] == "Skip to the content" else [f"begins at {stops[0]['said']}"]
    return first + [one["said"] for one in stops if not one["isSeen"]]


def troubles(seen: Watched, address: str, path: str, *, status: int = 200) -> list[str]:
    """What is wrong with a page at every width, with all that can be folded out folded out."""
    seen.said.clear()
    seen.hosts.clear()
    page = seen.page
    answer = page.goto(address + path)
    assert answer is not None
    found = [] if answer.status == status else [f"answers {answer.status}"]
    found += [] if page.url == address + path else [f"leads on to {page.url}"]
    page.evaluate(AXE)
    page.evaluate(FOLD_OUT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": HEIGHT})
        seen.draw_charts()
        wide = page.evaluate("document.documentElement.scrollWidth")
        found += [f"{wide} pixels wide at {width}"] if wide > width else []
        found += [f"at {width}, {one}" for one in page.evaluate(SERIOUS, WCAG)]
    found += [f"goes against {one}" for one in seen.violations()]
    found += [f"asks {one}" for one in seen.hosts if not address.endswith(one)]
    # A browser writes that an answer was none, of the page itself too.
    return found + [f"says {one}" for one in seen.said if status == 200]
