"""Takes pictures of every page, at several widths, light and dark, with much data, little or none.

    PYTHONPATH=.:tests:tests/leaderboard .venv/bin/python benchmarks/pictures.py FOLDER [--rows much] [--pages WORD]

It fills a site of its own: with the sample data and the rows of tests/leaderboard/seeded_site.py, with generated rows,
or with nothing. It also says which pages are wider than the window, and what the browser complained about: no page may
be or do so.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, make_server

from chromium_browser import Watched, launched, watched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = (320, 390, 1280, 1920)
SCHEMES = ("light", "dark")
HEIGHT = 900
MOST_HEIGHT = 6000
GENERATED = 8_000
SIZE = "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """The site on this machine; gives its address."""
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415 (after settings)

    server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()


def pages_with(rows: str) -> tuple[dict[str, str], dict[str, str], str]:
    """Fill the site; give what everybody sees, what somebody sees who is signed in, and the cookie of that visitor."""
    from every_page import PAGES, REFUSALS  # noqa: PLC0415 (after settings)

    same = PAGES | {name: path for name, (path, _) in REFUSALS.items()}
    if rows == "none":
        return same, {}, ""
    if rows == "much":
        return same | generated(), {}, ""
    return little(same)


def little(same: dict[str, str]) -> tuple[dict[str, str], dict[str, str], str]:
    from django.conf import settings  # noqa: PLC0415 (after it was set up)
    from every_page import pages_of_rows  # noqa: PLC0415 (the same)
    from own_pages import own_pages  # noqa: PLC0415 (the same)
    from seeded_site import seed  # noqa: PLC0415 (the same)

    from evaluation.models import Run  # noqa: PLC0415 (the same)
    from portal.quickstart import sample_data  # noqa: PLC0415 (the same)

    sample_data.load()
    real = Run.objects.filter(ratio__isnull=False).latest("ratio")
    seeded = seed(Path(settings.HOME) / "artifacts")
    samples = {
        "kernel-real": f"/kernels/{real.kernel.sha256}/",
        "model-samples": "/models/ptxboard-samples/",
    }
    own = own_pages(seeded)
    return same | pages_of_rows(seeded) | samples, own.pages, own.session


def generated() -> dict[str, str]:
    """Pages of entries with as many rows as a large site has of each."""
    from django.core.management import call_command  # noqa: PLC0415 (after settings)

    from evaluation.models import Entry, Trajectory  # noqa: PLC0415 (the same)

    call_command("generate_turns", trajectories=GENERATED)
    call_command("rebuild_standings")
    public = Entry.objects.filter(
        visibility="public", withdrawn_at=None, model__accepted_at__isnull=False, trajectories__gt=1
    )
    entry = public.earliest("pk")
    one = Trajectory.objects.filter(entry=entry).earliest("pk")
    kernel = one.turns.filter(kernel__isnull=False).earliest("number").kernel
    models = list(
        public.values_list("model__slug", flat=True).order_by("model__slug").distinct()[:6]
    )
    assert entry.model is not None
    assert kernel is not None
    return {
        "model": f"/models/{entry.model.slug}/",
        "entry": f"/entries/{entry.uid}/",
        "trajectory": f"/trajectories/{one.uid}/",
        "kernel": f"/kernels/{kernel.sha256}/",
        "compare-models": "/compare/?" + "&".join(f"model={one}" for one in models),
        "search-found": "/search/?q=m",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", default="", help="only pages whose name contains this")
    parser.add_argument("--widths", default=",".join(str(one) for one in WIDTHS))
    parser.add_argument("--schemes", default=",".join(SCHEMES))
    parser.add_argument("--rows", default="little", choices=("none", "little", "much"))
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ptxboard-pictures-") as home:
        for name in [one for one in os.environ if one.startswith("PTXBOARD_")]:
            del os.environ[name]
        os.environ |= {"DJANGO_SETTINGS_MODULE": "portal.settings", "PTXBOARD_HOME": home}
        import django  # noqa: PLC0415 (after the environment)

        django.setup()
        from django.core.management import call_command  # noqa: PLC0415 (after settings)

        call_command("migrate", verbosity=0)
        everybody, own, session = pages_with(asked.rows)
        shots = Shots(
            asked.folder,
            widths=[int(one) for one in asked.widths.split(",")],
            schemes=asked.schemes.split(","),
            word=asked.pages,
        )
        with served() as address, launched() as browser:
            shots.take(browser, address, everybody)
            shots.take(browser, address, own, session=session)
    print(f"{shots.taken} pictures in {asked.folder}")
    return 1 if shots.wrong else 0


@dataclass(slots=True)
class Shots:
    """Counts pictures, and what is wrong: a page that is wider than its window, a complaint of the browser."""

    folder: Path
    widths: list[int]
    schemes: list[str]
    word: str
    taken: int = 0
    wrong: int = 0

    def take(
        self, browser: "Browser", address: str, pages: dict[str, str], session: str = ""
    ) -> None:
        from django.conf import settings  # noqa: PLC0415 (after it was set up)

        for scheme in self.schemes:
            for width in self.widths:
                window = {"width": width, "height": HEIGHT}
                with watched(browser, viewport=window, color_scheme=scheme) as seen:
                    if session:
                        name = settings.SESSION_COOKIE_NAME
                        seen.page.context.add_cookies(
                            [{"name": name, "value": session, "url": address}]
                        )
                    for name, path in pages.items():
                        if self.word in name:
                            seen.page.goto(address + path)
                            self._shot(seen, name, width, scheme)
                    said = [one for one in seen.said if "status of 40" not in one]
                    self.wrong += len(said)
                    print(*said, sep="\n", end="\n" if said else "")

    def _shot(self, seen: Watched, name: str, width: int, scheme: str) -> None:
        seen.draw_charts()
        seen.page.evaluate("scrollTo(0, 0)")
        wide, high = seen.page.evaluate(SIZE)
        if wide > width:
            self.wrong += 1
            print(f"{name} at {width}: {wide} pixels wide")
        seen.page.screenshot(
            path=self.folder / f"{name}.{width}.{scheme}.png",
            clip={"x": 0, "y": 0, "width": width, "height": min(high, MOST_HEIGHT)},
            full_page=True,
        )
        self.taken += 1


if __name__ == "__main__":
    sys.exit(main())
