"""What signing up does here that django-allauth leaves open."""

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.http import HttpRequest

from portal.accounts.models import User


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # untyped
    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 (the adapter's signature)
        return bool(settings.SIGN_UP)

    def populate_username(self, request: HttpRequest, user: User) -> None:  # noqa: ARG002 (the same)
        """Nobody signs in by it; made of an address it would give that away."""
        user.username = user.username or user.owner
