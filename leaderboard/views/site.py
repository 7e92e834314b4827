"""What pages need beside the request. The entry point makes it once and hands it to every view."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from django.http import HttpRequest

from evaluation.adapters.catalogue import Catalogue
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.ports import Artifacts
from evaluation.core.verdict import Target
from evaluation.selectors import Viewer
from leaderboard.views.drawn import decoded
from leaderboard.views.kept_pages import KeptPages
from leaderboard.views.source_text import SourceText, source_text

SAMPLES_KEPT = 16
SOURCES_KEPT = 4  # of up to 12 MB each where somebody wrote one for it


@dataclass(frozen=True)
class Site:
    """``root`` is the checkout: templates and docs are read from it. ``viewer_of`` says who asks.

    ``kept`` are pages that need not be made again; by default none is.
    """

    viewer_of: Callable[[HttpRequest], Viewer]
    artifacts: Callable[[], Artifacts]
    catalogue: Catalogue
    root: Path
    kept: KeptPages = field(default_factory=KeptPages)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """In the order of names; read once, since they change with the code only."""
        return self.catalogue.problems()

    @cached_property
    def titles(self) -> Mapping[str, str]:
        """By the names of problems, in their order."""
        return {one.name: one.title for one in self.problems}

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        return self.catalogue.devices()

    @cached_property
    def device_names(self) -> tuple[str, ...]:
        """Products, and families such as h100: publications and uploads often name no more."""
        products = {one.product for one in self.devices}
        return tuple(sorted(products | {one.partition("-")[0] for one in products}))

    @cached_property
    def samples(self) -> Callable[[bytes], MeasureSeen]:
        """Decodes a run's samples and keeps the latest: the same bytes are always the same samples."""
        return lru_cache(SAMPLES_KEPT)(decoded)

    @cached_property
    def sources(self) -> Callable[..., SourceText]:
        """Write sources for their pages and keep the latest: the same bytes always look the same."""
        return lru_cache(SOURCES_KEPT)(source_text)

    @cached_property
    def suites(self) -> tuple[str, ...]:
        """Suites with ranked problems: the others have no boards."""
        return tuple(sorted({one.suite for one in self.problems if one.suite and one.ranked}))

    @cached_property
    def release(self) -> str:
        """Another text whenever the pages may look different for the same rows."""
        digest = hashlib.sha256()
        for folder, pattern in (
            ("templates", "*.html"),
            ("static", "*.css"),
            ("static", "*.js"),
            ("leaderboard", "*.py"),
            ("portal", "*.py"),
            ("evaluation", "*.py"),
            ("docs", "*.md"),
            ("evaluation", "*.toml"),
        ):
            for path in sorted((self.root / folder).rglob(pattern)):
                digest.update(path.read_bytes())
        return digest.hexdigest()[:16]

    def problem(self, name: str) -> Problem | None:
        return next((one for one in self.problems if one.name == name), None)

    def target_of(self, device: str) -> Target | None:
        """The target of a product, or of a family of products: h100 stands for h100-sxm."""
        named = (one.target for one in self.devices if f"{one.product}-".startswith(f"{device}-"))
        return next(named, None)
