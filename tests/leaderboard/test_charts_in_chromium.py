"""Charts in a real browser: they are drawn, nothing of the policy is violated, and nothing on the page moves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from chromium_browser import MISSING, PATIENCE_MS, is_there, launched, watched
from judged_rows import GEMM
from pytest_django.live_server_helper import LiveServer
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = [
    pytest.mark.chromium,
    pytest.mark.django_db(transaction=True),
    pytest.mark.timeout(900),  # a browser and a server beside everything else on a busy machine
    pytest.mark.skipif(not is_there(), reason=MISSING),
]


@dataclass(frozen=True, slots=True)
class Looked:
    """What a browser saw of one page, after every chart on it came into the window."""

    plots: int
    drawn: int
    violations: list[str]
    shift: float
    said: list[str]
    hosts: set[str]


@dataclass(frozen=True, slots=True)
class Chromium:
    browser: "Browser"
    address: str

    def look(self, path: str, **options: Any) -> Looked:
        with watched(self.browser, **options) as seen:
            seen.page.goto(self.address + path)
            plots = seen.draw_charts()
            return Looked(
                plots=plots,
                drawn=seen.page.locator(".plot:has(.main-svg)").count(),
                violations=seen.violations(),
                shift=seen.page.evaluate("window.shift"),
                said=seen.said,
                hosts={one for one in seen.hosts if not self.address.endswith(one)},
            )


@pytest.fixture
def chromium(live_server: LiveServer, seeded: Seeded) -> Iterator[Chromium]:
    """After every row is there: while the browser is driven, this thread may ask no database."""
    with launched() as browser:
        yield Chromium(browser, live_server.url)


def test_every_chart_is_drawn_without_a_violation_of_the_policy_and_nothing_moves(
    chromium: Chromium, seeded: Seeded
) -> None:
    assert seeded.whole.model is not None
    pages = {
        "/gap/": 1,
        "/gap/?provenance=paper": 1,
        f"/boards/speed/h200/?problem={GEMM}": 1,
        f"/problems/{GEMM}/": 1,
        f"/models/{seeded.whole.model.slug}/": 2,
        f"/entries/{seeded.whole.uid}/": 2,
        f"/kernels/{seeded.evidence.kernel.sha256}/": 4,  # both times, clocks, opcodes
    }
    for scheme in ("light", "dark"):
        for path, charts in pages.items():
            looked = chromium.look(
                path, color_scheme=scheme, viewport={"width": 390, "height": 844}
            )
            assert looked == Looked(charts, charts, [], looked.shift, [], set()), path
            assert looked.shift < 0.01, path


def test_without_scripts_a_page_has_its_words_and_tables_and_no_empty_room(
    chromium: Chromium,
) -> None:
    context = chromium.browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{chromium.address}/gap/")
    box = page.locator(".plot").bounding_box()
    assert box is not None
    assert box["height"] < 150
    page.locator("figure.chart summary").click()
    assert page.locator("figure.chart tbody tr").count() > 5
    assert page.locator("figure.chart tbody tr").first.is_visible()
    context.close()


def test_a_point_leads_to_its_evidence(chromium: Chromium, seeded: Seeded) -> None:
    page = chromium.browser.new_page()
    page.goto(f"{chromium.address}/boards/speed/h200/?problem={GEMM}")
    page.locator(".plot").scroll_into_view_if_needed()
    page.locator(".plot .main-svg").first.wait_for()
    with page.expect_navigation(timeout=PATIENCE_MS):
        page.evaluate(
            "() => { const box = document.querySelector('.plot');"
            "box.emit('plotly_click', { points: [{ data: box.data[0] }] }); }"
        )
    assert f"{chromium.address}/kernels/{seeded.evidence.kernel.sha256}/" == page.url
    page.close()
