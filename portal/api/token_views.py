"""The page on which an account makes and revokes its tokens."""

from datetime import timedelta
from uuid import UUID

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from portal.accounts.models import User
from portal.api.models import Scope, Token

MOST_TOKENS = 20


class TokenForm(forms.Form):
    name = forms.CharField(label="What it is for", max_length=80)
    scope = forms.ChoiceField(
        label="What it may do",
        choices=[
            (Scope.READ.value, "read: follow and download"),
            (Scope.SUBMIT.value, "submit: read, and hand in, confirm and withdraw"),
        ],
    )
    days = forms.IntegerField(label="Days until it ends", min_value=1, max_value=365, initial=90)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@sensitive_variables("made")
def tokens(request: HttpRequest) -> HttpResponse:
    """A new token is in the answer to the form that asked for it, and nowhere else."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    account = request.user
    assert isinstance(account, User)
    made = ""
    if request.method == "POST" and form.is_valid():
        if _own(request).count() >= MOST_TOKENS:
            form.add_error(None, f"There are {MOST_TOKENS} already; revoke one first.")
        else:
            said = form.cleaned_data
            ends_at = timezone.now() + timedelta(days=said["days"])
            scope = Scope(said["scope"])
            _, made = Token.objects.make(account, name=said["name"], scope=scope, ends_at=ends_at)
            form = TokenForm()
    page = {"form": form, "made": made, "tokens": _own(request)}
    answer = render(request, "api/tokens.html", page, status=400 if form.errors else 200)
    add_never_cache_headers(answer)
    return answer


@require_POST
@login_required
def token_revoke(request: HttpRequest, uid: UUID) -> HttpResponse:
    if not _own(request).filter(uid=uid).delete()[0]:
        raise Http404
    messages.success(request, "The token is revoked.")
    return redirect("tokens")


def _own(request: HttpRequest) -> "QuerySet[Token]":
    return Token.objects.filter(user=request.user, expiry__gt=timezone.now()).order_by("-created")
