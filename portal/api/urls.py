"""Addresses for programs, and of the page with their tokens."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularAPIView

from portal.api import download_api, submission_api, token_views, upload_api

_SHA256 = r"(?P<sha256>[0-9a-f]{64})"
_UID = r"(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"

urlpatterns = [
    path("tokens/", token_views.tokens, name="tokens"),
    path("tokens/<uuid:uid>/revoke/", token_views.token_revoke, name="token_revoke"),
    path(
        "api/v1/schema",
        SpectacularAPIView.as_view(authentication_classes=[], permission_classes=[]),
        name="api_schema",
    ),
    path("api/v1/submissions", upload_api.SubmissionsView.as_view(), name="api_submissions"),
    path(
        "api/v1/submissions/<uuid:uid>",
        submission_api.SubmissionView.as_view(),
        name="api_submission",
    ),
    path(
        "api/v1/submissions/<uuid:uid>/content",
        upload_api.ContentView.as_view(),
        name="api_content",
    ),
    path(
        "api/v1/submissions/<uuid:uid>/turns", submission_api.TurnsView.as_view(), name="api_turns"
    ),
    path(
        "api/v1/submissions/<uuid:uid>/confirm",
        submission_api.ConfirmView.as_view(),
        name="api_confirm",
    ),
    path(
        "api/v1/submissions/<uuid:uid>/cancel",
        submission_api.CancelView.as_view(),
        name="api_cancel",
    ),
    path(
        "api/v1/submissions/<uuid:uid>/withdraw",
        submission_api.WithdrawView.as_view(),
        name="api_withdraw",
    ),
    path(
        "api/v1/trajectories/<uuid:uid>/document",
        download_api.DocumentView.as_view(),
        name="api_document",
    ),
    path("api/v1/runs/<uuid:uid>", download_api.RunView.as_view(), name="api_run"),
    re_path(
        rf"^api/v1/runs/{_UID}/logs/{_SHA256}$", download_api.LogView.as_view(), name="api_log"
    ),
    re_path(
        rf"^api/v1/kernels/{_SHA256}/source$", download_api.SourceView.as_view(), name="api_source"
    ),
]
