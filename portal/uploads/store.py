"""Where the site keeps artifacts: sources and documents that may be private, so the folder is for its owner alone."""

from django.conf import settings

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.workspace import Workspace


def artifacts() -> LocalArtifacts:
    folder = Workspace(settings.HOME).artifacts
    folder.mkdir(mode=0o700, exist_ok=True)
    return LocalArtifacts(folder)
