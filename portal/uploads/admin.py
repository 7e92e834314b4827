"""Submissions for staff to look at. What was understood and chosen is on their own pages."""

from django.contrib import admin
from django.http import HttpRequest

from portal.uploads.models import Submission


@admin.register(Submission)
class SubmissionAdmin(admin.ModelAdmin):
    """Shows rows; owners alone decide about what they handed in."""

    list_display = (
        "uid",
        "state",
        "format",
        "file_name",
        "size",
        "done",
        "total",
        "tries",
        "created_at",
    )
    list_filter = ("state", "format")
    search_fields = ("uid", "owner", "file_name", "sha256")
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False

    def get_view_on_site_url(self, obj: Submission | None = None) -> str | None:
        return f"/submissions/{obj.uid}/" if obj else None
