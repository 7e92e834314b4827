"""Accounts for the demo logins: one author, one member of staff."""

from pathlib import Path

from allauth.account.models import EmailAddress
from django.db import transaction

from portal.accounts.models import User
from portal.quickstart import logins
from portal.quickstart.logins import Login


def keep_accounts(path: Path) -> None:
    """See that there is an account for each login in the file, and make both where there is no file.

    A password that somebody changed stays. Where the file was lost, accounts get new passwords; the file is written
    last, so that what it says is true whenever it is there.
    """
    known = logins.read(path)
    wanted = known or logins.fresh()
    with transaction.atomic():
        for login in wanted:
            _keep(login, anew=known is None)
    if known is None:
        logins.write(path, wanted)


def _keep(login: Login, *, anew: bool) -> None:
    user = User.objects.filter(email__iexact=login.email).first()
    if user is None:
        user = User(username=login.role, email=login.email)
    elif not anew:
        return
    user.is_staff = user.is_superuser = login.role == "staff"
    user.set_password(login.password)
    user.save()
    # Whoever started this site has the file with the password; no mail has to prove it.
    EmailAddress.objects.update_or_create(
        user=user, email=login.email, defaults={"verified": True, "primary": True}
    )
