"""Accounts. Other apps know an account by its uuid alone."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):  # type: ignore[django-manager-missing]  # that of tokens, whose base is untyped
    """A person who can sign in, by e-mail address. ``uid`` is what rows of other apps and URLs hold."""

    uid = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    email = models.EmailField("e-mail address", blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="one_account_an_address",
                condition=~models.Q(email=""),
                violation_error_message="There is an account with this e-mail address.",
            )
        ]

    @property
    def owner(self) -> str:
        """How rows name what belongs to this account."""
        return str(self.uid)
