"""Pages of submissions: hand in, check, confirm, follow, take back. Everything works without script."""

import hashlib
import io
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotModified,
)
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.http import parse_etags, quote_etag
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from evaluation.selectors import Viewer
from leaderboard.views.answers import found_or_404, redirected_to, refuses_wrong_questions
from leaderboard.views.list_question import read_list
from leaderboard.views.saved_tables import origin_of, page_of, saved_table
from portal.accounts.models import User
from portal.accounts.viewers import viewer
from portal.uploads.deciding import cancel, confirm, withdraw
from portal.uploads.forms import ConfirmForm, UploadForm, WithdrawForm
from portal.uploads.limits import reading_limits, upload_limits
from portal.uploads.live import live_entry, poll_seconds
from portal.uploads.models import Submission
from portal.uploads.receiving import NotTaken, Received, receive_whole
from portal.uploads.status import (
    SUBMISSIONS_SHOWN,
    SubmissionStatus,
    line_of,
    my_submissions,
    own_submission,
    status_of,
    submission_of,
)
from portal.uploads.submission_list import SUBMISSION_COLUMNS
from portal.uploads.submission_table import submissions_table
from portal.uploads.submission_words import SubmissionState

_MOST_FIRST = 10**7


@require_safe
@login_required
@refuses_wrong_questions
def submissions(request: HttpRequest) -> HttpResponse:
    asked = read_list(request.GET, SUBMISSION_COLUMNS, place="first")
    if moved := redirected_to(request, asked.canonical):
        return moved
    found = my_submissions(viewer(request), first=asked.start, order=asked.arrangement.order)
    older = str(asked.start + len(found)) if len(found) == SUBMISSIONS_SHOWN else ""
    page = {
        "submissions": [line_of(one) for one in found],
        **asked.shown,
        "first": asked.start,
        "next": asked.other(first=older) if older else "",
        "start": asked.other(),
    }
    return _private(render(request, "uploads/submissions.html", page))


@require_safe
@login_required
@refuses_wrong_questions
def submissions_file(request: HttpRequest, ending: str) -> HttpResponseBase:
    """The rows and columns of the list, for their owner alone."""
    asked = read_list(request.GET, SUBMISSION_COLUMNS, place="first")
    if moved := redirected_to(request, asked.canonical):
        return moved
    found = my_submissions(viewer(request), first=asked.start, order=asked.arrangement.order)
    table = submissions_table(
        [line_of(one) for one in found],
        origin=origin_of(request),
        page=page_of(request),
        shown=asked.arrangement.shown,
    )
    return saved_table(request, table, ending, "submissions")


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def submission_new(request: HttpRequest) -> HttpResponse:
    posted = request.method == "POST"
    form = UploadForm(request.POST, request.FILES) if posted else UploadForm()
    if posted and form.is_valid():
        try:
            received = _received(request, form)
        except NotTaken as refused:
            form.add_error(None, f"{refused.what[:1].upper()}{refused.what[1:]}: {refused.do}.")
        else:
            if not received.created:
                messages.info(
                    request, "You handed these bytes in before; this is what became of them."
                )
            return redirect("submission", uid=received.submission.uid)
    page = {"form": form, "reading": reading_limits(), "limits": upload_limits()}
    status = 400 if form.errors else 200
    return _private(render(request, "uploads/submission_new.html", page, status=status))


@require_safe
@login_required
@found_or_404
def submission(request: HttpRequest, uid: UUID) -> HttpResponse:
    who = viewer(request)
    return _page(request, who, submission_of(who, uid))


@require_safe
@login_required
@found_or_404
def submission_live(request: HttpRequest, uid: UUID) -> HttpResponse:
    """The part of the page that changes. Unchanged since it was last asked for, it is 304 and empty."""
    who = viewer(request)
    found = submission_of(who, uid)
    content = render_to_string("uploads/live.html", _live(request, who, status_of(who, found)))
    etag = quote_etag(hashlib.sha256(content.encode()).hexdigest()[:32])
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = HttpResponse(content)
    answer["ETag"] = etag
    if found.state == SubmissionState.UNDERSTOOD and request.headers.get("HX-Request"):
        # The page around this part has no form yet.
        answer = HttpResponse(content)
        answer["HX-Refresh"] = "true"
    return _private(answer)


@require_POST
@login_required
@found_or_404
def submission_confirm(request: HttpRequest, uid: UUID) -> HttpResponse:
    who = viewer(request)
    found = own_submission(who, uid)
    status = status_of(who, found)
    if status.preview is None:
        raise Http404
    form = ConfirmForm(status.preview, request.POST)
    if status.can_be_confirmed and not form.is_valid():
        return _page(request, who, found, form=form)
    if not (status.can_be_confirmed and confirm(found, form.choices(), at=timezone.now())):
        messages.warning(request, "It does not wait to be confirmed any more.")
    return redirect("submission", uid=uid)


@require_POST
@login_required
@found_or_404
def submission_cancel(request: HttpRequest, uid: UUID) -> HttpResponse:
    if cancel(own_submission(viewer(request), uid), at=timezone.now()):
        messages.success(request, "It was taken back, and its bytes are removed.")
    else:
        messages.warning(request, "It was imported or had ended before; it can be withdrawn.")
    return redirect("submission", uid=uid)


@require_POST
@login_required
@found_or_404
def submission_withdraw(request: HttpRequest, uid: UUID) -> HttpResponse:
    who = viewer(request)
    found = own_submission(who, uid)
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        return _page(request, who, found, withdrawal=form)
    if withdraw(found, reason=form.cleaned_data["reason"], at=timezone.now()):
        messages.success(request, "It is withdrawn. A tombstone with your reason stays.")
    else:
        messages.warning(request, "There is nothing to withdraw.")
    return redirect("submission", uid=uid)


def _received(request: HttpRequest, form: UploadForm) -> Received:
    account = request.user
    assert isinstance(account, User)
    file, at = form.cleaned_data["file"], timezone.now()
    if file:
        return receive_whole(account, file.name, file, size=file.size, at=at)
    text = form.cleaned_data["text"].encode("utf-8", "replace")
    name = form.cleaned_data["name"] or "kernel.cu"
    return receive_whole(account, name, io.BytesIO(text), size=len(text), at=at)


def _page(
    request: HttpRequest,
    who: Viewer,
    found: Submission,
    *,
    form: ConfirmForm | None = None,
    withdrawal: WithdrawForm | None = None,
) -> HttpResponse:
    status = status_of(who, found)
    page = _live(request, who, status)
    if status.can_be_confirmed and status.preview:
        page["form"] = form or ConfirmForm(status.preview)
    if status.can_be_withdrawn:
        page["withdrawal"] = withdrawal or WithdrawForm()
    code = 400 if form is not None or withdrawal is not None else 200
    return _private(render(request, "uploads/submission.html", page, status=code))


def _live(request: HttpRequest, who: Viewer, status: SubmissionStatus) -> dict[str, Any]:
    """What the changing part shows. It asks again as long as anything may change without its reader."""
    live = None
    if status.entry and status.state is SubmissionState.IMPORTED:
        live = live_entry(who, status.entry, first=_first(request))
    moving = not (status.has_ended or status.waits_for_owner) or bool(live and live.is_pending)
    seconds = poll_seconds(changed_at=status.changed_at, at=timezone.now()) if moving else 0
    return {"status": status, "live": live, "poll_seconds": seconds}


def _first(request: HttpRequest) -> int:
    word = request.GET.get("first", "0")[:8]
    return min(int(word), _MOST_FIRST) if word.isascii() and word.isdecimal() else 0


def _private(answer: HttpResponse) -> HttpResponse:
    patch_cache_control(answer, private=True, no_cache=True)
    return answer
