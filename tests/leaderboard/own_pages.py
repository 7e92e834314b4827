"""Pages that only who is signed in sees, with something on each of them."""

import json
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.test import Client
from django.utils import timezone
from seeded_site import Seeded
from submission_steps import KERNEL, SECRET, confirmed, imported, own_json, person, read, upload

from evaluation.models import Entry
from portal.api.models import Scope, Token


@dataclass(frozen=True, slots=True)
class OwnPages:
    """``session`` is the value of the cookie of who owns them."""

    session: str
    pages: dict[str, str]


def own_pages(seeded: Seeded) -> OwnPages:
    """Of somebody with uploads at every step, a token, a private entry and a kernel that is held."""
    settings.UPLOAD_SPOOL.mkdir(mode=0o700, exist_ok=True)
    ada = person()
    Entry.objects.filter(pk=seeded.private.pk).update(owner=ada.owner)
    Entry.objects.filter(trajectory_rows__turns__kernel=seeded.held).update(owner=ada.owner)
    followed = imported(confirmed(read(upload(ada, own_json(), "followed.json"))))
    previewed = read(upload(ada, _with_secret(), "previewed.json"))
    kernel = read(upload(ada, KERNEL + b"// another\n", "kernel.cu"))
    refused = read(upload(ada, b"\x00\x01", "refused.zip"))
    arrived = upload(ada, KERNEL + b"// a third\n", "arrived.cu")
    Token.objects.make(
        ada, name="a program", scope=Scope.READ, ends_at=timezone.now() + timedelta(days=1)
    )
    steps = {
        "submission-followed": followed,
        "submission-preview": previewed,
        "submission-kernel": kernel,
        "submission-refused": refused,
        "submission-arrived": arrived,
    }
    client = Client()
    client.force_login(ada, backend="django.contrib.auth.backends.ModelBackend")
    pages = {
        "own-home": "/",
        "hand-in": "/submissions/new/",
        "submissions": "/submissions/",
        **{name: f"/submissions/{one.uid}/" for name, one in steps.items()},
        "tokens": "/tokens/",
        "own-entry": f"/entries/{seeded.private.uid}/",
        "own-held": f"/kernels/{seeded.held.sha256}/",
        "sign-out": "/accounts/logout/",
        "password": "/accounts/password/change/",
        "addresses": "/accounts/email/",
    }
    return OwnPages(client.cookies[settings.SESSION_COOKIE_NAME].value, pages)


def _with_secret() -> bytes:
    """A trajectory whose first reply has a key in it, and whose problem nobody knows."""
    whole = json.loads(own_json(problem="a_riddle"))
    whole["turns"][0]["reply"] = f"My key is {SECRET}."
    return json.dumps(whole).encode()
