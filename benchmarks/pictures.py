"""Takes pictures of every page of a small site, at several widths, light and dark.

    PYTHONPATH=.:tests:tests/leaderboard .venv/bin/python benchmarks/pictures.py FOLDER [--pages WORD]

It fills a site of its own with the sample data and the rows of tests/leaderboard/seeded_site.py, and drives headless
Chromium through playwright (pip install playwright; a Chromium of the system, or playwright install chromium). It also
says which pages are wider than the window, and what the browser complained about: no page may be or do so.
"""

import argparse
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

WIDTHS = (390, 1280, 1920)
SCHEMES = ("light", "dark")
CHROMIUM = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
HEIGHT = 900
MOST_HEIGHT = 6000


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (its name there)
        """Say nothing."""


@contextmanager
def served(*, empty: bool) -> Iterator[tuple[str, dict[str, str]]]:
    """A site on this machine; gives its address and the pages to look at."""
    from django.core.management import call_command  # noqa: PLC0415 (after settings)
    from django.core.wsgi import get_wsgi_application  # noqa: PLC0415 (the same)

    application = get_wsgi_application()
    call_command("migrate", verbosity=0)
    pages = {} if empty else seeded_pages()
    server = make_server("127.0.0.1", 0, application, handler_class=Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", {**PAGES, **pages}
    finally:
        server.shutdown()
        thread.join()


PAGES = {
    "home": "/",
    "instruction-suite": "/boards/instruction/hopper/",
    "correctness-empty": "/boards/correctness/blackwell/",
    "speed-suite": "/boards/speed/h200/",
    "instruction-gemm": "/boards/instruction/hopper/?problem=gemm_n7168_k5120",
    "correctness-paper": "/boards/correctness/hopper/?problem=gemm_n7168_k5120&provenance=paper",
    "speed-gemm": "/boards/speed/h200/?problem=gemm_n7168_k5120",
    "speed-reported": "/boards/speed/h100/?problem=gemm_n7168_k5120&provenance=reported",
    "refused": "/boards/speed/h200/?p=much",
    "problems": "/problems/",
    "problem": "/problems/mha_bwd_d128_causal/",
    "models": "/models/",
    "method": "/method/",
    "verdicts": "/verdicts/",
    "status": "/status/",
    "gap": "/gap/",
    "changelog": "/changelog/",
    "data": "/data/",
    "search": "/search/",
    "compare-nothing": "/compare/",
    "missing": "/entries/nothing/",
    "sign-in": "/accounts/login/",
}


def seeded_pages() -> dict[str, str]:
    from django.conf import settings  # noqa: PLC0415 (after it was set up)
    from seeded_site import seed  # noqa: PLC0415 (the same)

    from evaluation.models import Run, Trajectory, Turn  # noqa: PLC0415 (the same)
    from portal.quickstart import sample_data  # noqa: PLC0415 (the same)

    sample_data.load()
    real = Run.objects.filter(ratio__isnull=False).latest("ratio")
    found = seed(Path(settings.HOME) / "artifacts")
    first = Trajectory.objects.filter(entry=found.whole).earliest("pk")
    single = Trajectory.objects.filter(turns__kernel=found.evidence.kernel).get()
    assert found.whole.model is not None
    longest = Trajectory.objects.filter(entry__trajectory_rows__turns__kernel=real.kernel)
    samples = Turn.objects.filter(trajectory__in=longest.distinct()).order_by(
        "trajectory", "number"
    )
    hashes = samples.values_list("kernel__sha256", flat=True)
    return {
        "search-found": "/search/?q=quartz",
        "compare-models": "/compare/?model=quartz-4&model=feldspar-l&model=opal-2",
        "compare-kernels": "/compare/?" + "&".join(f"kernel={one}" for one in hashes[:2]),
        "compare-more": "/compare/?" + "&".join(f"kernel={one}" for one in hashes[:3]),
        "model": f"/models/{found.whole.model.slug}/",
        "model-paper": f"/models/{found.published.slug}/",
        "entry": f"/entries/{found.whole.uid}/",
        "entry-hostile": f"/entries/{found.proposed.uid}/",
        "entry-withdrawn": f"/entries/{found.withdrawn.uid}/",
        "trajectory": f"/trajectories/{first.uid}/",
        "trajectory-single": f"/trajectories/{single.uid}/",
        "kernel": f"/kernels/{found.evidence.kernel.sha256}/",
        "kernel-refused": f"/kernels/{found.refused.kernel.sha256}/",
        "kernel-real": f"/kernels/{real.kernel.sha256}/",
        "model-samples": "/models/ptxboard-samples/",
        "run": f"/runs/{found.evidence.uid}/",
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", default="", help="only pages whose name contains this")
    parser.add_argument("--widths", default=",".join(str(one) for one in WIDTHS))
    parser.add_argument("--schemes", default=",".join(SCHEMES))
    parser.add_argument("--empty", action="store_true", help="a site without any rows")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ptxboard-pictures-") as home:
        for name in [one for one in os.environ if one.startswith("PTXBOARD_")]:
            del os.environ[name]
        os.environ |= {"DJANGO_SETTINGS_MODULE": "portal.settings", "PTXBOARD_HOME": home}
        with served(empty=asked.empty) as (address, pages):
            chosen = {name: path for name, path in pages.items() if asked.pages in name}
            widths = [int(one) for one in asked.widths.split(",")]
            return take(address, chosen, widths, asked.schemes.split(","), asked.folder)


def take(
    address: str, pages: dict[str, str], widths: list[int], schemes: list[str], folder: Path
) -> int:
    """Take the pictures; give 1 where a page is wider than its window or the browser complains, else 0."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (this script alone needs it)

    wrong = 0
    with sync_playwright() as browsers:
        chromium = next((one for one in CHROMIUM if Path(one).exists()), None)
        browser = browsers.chromium.launch(executable_path=chromium)
        for scheme in schemes:
            for width in widths:
                page = browser.new_page(
                    viewport={"width": width, "height": HEIGHT},
                    color_scheme="dark" if scheme == "dark" else "light",
                )
                said = complaints(page)
                for name, path in pages.items():
                    page.goto(address + path)
                    draw_charts(page)
                    wide = int(page.evaluate("document.documentElement.scrollWidth"))
                    high = int(page.evaluate("document.documentElement.scrollHeight"))
                    if wide > width:
                        wrong += 1
                        print(f"{name} at {width}: {wide} pixels wide")
                    page.screenshot(
                        path=folder / f"{name}.{width}.{scheme}.png",
                        clip={"x": 0, "y": 0, "width": width, "height": min(high, MOST_HEIGHT)},
                        full_page=True,
                    )
                page.close()
                refused = [one for one in said if "status of 40" not in one]
                wrong += len(refused)
                print(*refused, sep="\n", end="\n" if refused else "")
        browser.close()
    print(f"{len(pages) * len(widths) * len(schemes)} pictures in {folder}")
    return 1 if wrong else 0


def draw_charts(page: Any) -> None:
    """A chart is drawn when it comes near the window, so each is shown once before the picture is taken."""
    plots = page.locator(".plot")
    for number in range(plots.count()):
        plots.nth(number).scroll_into_view_if_needed()
        plots.nth(number).locator(".main-svg").first.wait_for(timeout=30_000)
    page.evaluate("scrollTo(0, 0)")


def complaints(page: Any) -> list[str]:
    """What the browser writes to its console from now on, as it comes."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    return said


if __name__ == "__main__":
    sys.exit(main())
