"""Tokens of programs: kept as a hash, with what they may do."""

import uuid
from datetime import datetime
from enum import StrEnum

from django.db import models
from django.db.models import Q
from knox.models import AbstractAuthToken, get_digest_token
from knox.settings import CONSTANTS

from portal.accounts.models import User


class Scope(StrEnum):
    """SUBMIT may read too."""

    READ = "read"
    SUBMIT = "submit"


class TokenManager(models.Manager["Token"]):
    def make(
        self, account: User, *, name: str, scope: Scope, ends_at: datetime
    ) -> "tuple[Token, str]":
        """Make a token and give what it is itself, which is kept nowhere."""
        digest, token = get_digest_token()
        row = self.create(
            digest=digest,
            token_key=token[: CONSTANTS.TOKEN_KEY_LENGTH],
            user=account,
            expiry=ends_at,
            name=name,
            scope=scope,
        )
        return row, token


class Token(AbstractAuthToken):  # type: ignore[misc]  # untyped
    """One token of an account. What it is itself is shown once, when it is made."""

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    name = models.CharField(max_length=80)
    scope = models.CharField(max_length=16, default=Scope.READ.value)

    objects = TokenManager()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="token_scope_is_a_word",
                condition=Q(scope__in=[str(scope) for scope in Scope]),
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def shown(self) -> str:
        """As much of the token as tells its owner which it is."""
        return f"{self.token_key[:9]}…"
