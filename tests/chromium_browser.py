"""The Chromium of this machine, for tests and pictures of pages, and what it says while a page is watched."""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = next(
    (
        one
        for name in ("chromium", "chromium-browser", "google-chrome")
        if (one := Path("/usr/bin", name)).exists()
    ),
    None,
)
MISSING = "needs playwright and a Chromium, which bin/setup --tests installs"
PATIENCE_MS = 60_000
COUNT_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (one) => window.violations.push(one.violatedDirective));
window.shift = 0;
new PerformanceObserver((seen) => {
  for (const one of seen.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });
"""


def is_there() -> bool:
    return CHROMIUM is not None and importlib.util.find_spec("playwright") is not None


@contextmanager
def launched() -> Iterator["Browser"]:
    """A browser without a window. While it runs, this thread may ask no database."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (not everybody has it)

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True, slots=True)
class Watched:
    """A page of its own, what the browser said of it, and the hosts that it asked."""

    page: "Page"
    said: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def draw_charts(self) -> int:
        """Bring every chart into the window, as it is drawn only there; give how many there are."""
        plots = self.page.locator(".plot")
        for place in range(plots.count()):
            plots.nth(place).scroll_into_view_if_needed()
            plots.nth(place).locator(".main-svg").first.wait_for()
        return plots.count()

    def violations(self) -> list[str]:
        """Directives of the content policy that the page went against."""
        found: list[str] = self.page.evaluate("window.violations")
        return found


@contextmanager
def watched(browser: "Browser", **options: Any) -> Iterator[Watched]:
    """Options are those of a browser's context: window, colour scheme, cookies."""
    context: BrowserContext = browser.new_context(**options)
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        seen = Watched(page)
        page.on("console", lambda one: seen.said.append(one.text))
        page.on("pageerror", lambda one: seen.said.append(str(one)))
        page.on("request", lambda one: seen.hosts.add(one.url.split("/")[2]))
        page.add_init_script(COUNT_VIOLATIONS)
        yield seen
    finally:
        context.close()
