"""Every address of the site."""

from django.conf import settings
from django.contrib import admin
from django.core.cache import caches
from django.urls import include, path

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.workspace import Workspace
from evaluation.core.ports import Artifacts
from leaderboard.export_urls import export_addresses
from leaderboard.urls import addresses
from leaderboard.views.kept_pages import KeptPages
from leaderboard.views.site import Site
from portal.accounts.viewers import viewer
from portal.health import healthz


def _artifacts() -> Artifacts:
    return LocalArtifacts(Workspace(settings.HOME).artifacts)


PUBLIC = Site(
    viewer_of=viewer,
    artifacts=_artifacts,
    catalogue=packaged(),
    root=settings.REPOSITORY,
    kept=KeptPages(lambda: caches["pages"]),
)

handler404 = "portal.api.nothing_there.nothing_there"

urlpatterns = [
    path("", include(addresses(PUBLIC))),
    path("", include(export_addresses(PUBLIC, data_set=settings.DATA_SET))),
    path("healthz", healthz, name="healthz"),
    path("", include("portal.uploads.urls")),
    path("", include("portal.api.urls")),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
]
