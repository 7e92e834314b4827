"""Addresses of submissions."""

from django.urls import path, re_path

from portal.uploads import views

urlpatterns = [
    path("submissions/", views.submissions, name="submissions"),
    re_path(
        r"^submissions\.(?P<ending>csv|json)$", views.submissions_file, name="submissions_export"
    ),
    path("submissions/new/", views.submission_new, name="submission_new"),
    path("submissions/<uuid:uid>/", views.submission, name="submission"),
    path("submissions/<uuid:uid>/live/", views.submission_live, name="submission_live"),
    path("submissions/<uuid:uid>/confirm/", views.submission_confirm, name="submission_confirm"),
    path("submissions/<uuid:uid>/cancel/", views.submission_cancel, name="submission_cancel"),
    path("submissions/<uuid:uid>/withdraw/", views.submission_withdraw, name="submission_withdraw"),
]
