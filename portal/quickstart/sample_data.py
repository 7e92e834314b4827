"""What a new site shows before anybody has uploaded anything. The one place that says what is loaded."""

from django.conf import settings
from django.utils import timezone

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.workspace import Workspace
from leaderboard.projection import refresh, refresh_papers
from portal.quickstart.sample_entry import is_loaded, load_samples
from portal.quickstart.sample_files import digest_of, sample_folder, samples
from portal.quickstart.sample_papers import load_paper_values
from portal.standings import refresh_standings


def load() -> None:
    """Add the sample data that is missing. Called at every start, after migrations; quick where nothing is missing.

    Samples of another release are replaced. Boards look again at what a start before this one stored and did not come
    to show.
    """
    now = timezone.now()
    folder = sample_folder()
    if not is_loaded(digest_of(folder)):
        store = LocalArtifacts(Workspace(settings.HOME).artifacts)
        refresh(load_samples(store, samples(folder), at=now), at=now)
    load_paper_values(folder, at=now)
    refresh_papers()
    refresh_standings(at=now)
