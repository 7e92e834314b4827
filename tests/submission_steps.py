"""People and their uploads for tests, and the steps that workers do, done at once."""

import io
import json
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from portal.accounts.models import User
from portal.api.models import Scope, Token
from portal.uploads.choices import Choices
from portal.uploads.deciding import confirm
from portal.uploads.forms import ConfirmForm, suggested
from portal.uploads.importing import import_submission
from portal.uploads.intake import read_submission
from portal.uploads.models import Submission
from portal.uploads.preview import stored_preview
from portal.uploads.receiving import receive_whole

KERNEL = b"// mine\n__global__ void k() {}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"
GEMM = "gemm_n7168_k5120"
SECRET = "sk-ant-api03-" + "q7Zr2MxV9kWb4TnY8pLd" * 4


def person(address: str = "ada@example.org", *, staff: bool = False) -> User:
    return User.objects.create_user(
        address, email=address, password="correct horse battery", is_staff=staff
    )


def program_of(account: User, scope: Scope = Scope.SUBMIT) -> Client:
    """A client with a token of this account, and without its session."""
    ends_at = timezone.now() + timedelta(days=1)
    _, token = Token.objects.make(account, name="a program", scope=scope, ends_at=ends_at)
    return Client(headers={"Authorization": f"Token {token}"})


def own_folder(settings: Settings, folder: Path) -> None:
    """Let a test have a state folder of its own."""
    settings.HOME = folder
    settings.UPLOAD_SPOOL = settings.FILE_UPLOAD_TEMP_DIR = folder / "spool"
    settings.UPLOAD_SPOOL.mkdir(mode=0o700)


def own_json(**changes: object) -> bytes:
    """One trajectory in our own format: a kernel, a reply without one, and a kernel that was sent along."""
    turns = [
        {"kernel": KERNEL.decode(), "reply": "Here.", "event": "evaluation"},
        {"kernel": None, "missing": "no_code", "reply": "I give up.", "event": "no_code"},
    ]
    whole = {
        "format": "ptxboard-trajectory",
        "version": 1,
        "model": "Demo 1",
        "problem": GEMM,
        "target": "hopper",
        "device": "H100",
        "layout": {"prompts": 1, "trajectories": 1, "turns": 2},
        "turns": turns,
    }
    return json.dumps(whole | changes).encode()


def upload(account: User, content: bytes = KERNEL, name: str = "kernel.cu") -> Submission:
    stream = io.BytesIO(content)
    return receive_whole(account, name, stream, size=len(content), at=timezone.now()).submission


def read(submission: Submission) -> Submission:
    read_submission(submission.uid)
    submission.refresh_from_db()
    return submission


def said(submission: Submission, **changes: object) -> Choices:
    """What its owner confirms with, from what the form suggests."""
    preview = stored_preview(submission)
    assert preview is not None
    least = {"model": "Demo 1", "licence": "CC-BY-4.0", "consent": "on"}
    if preview.single_kernel:
        least |= {"problem": GEMM, "target": "hopper"}
    form = ConfirmForm(preview, {**suggested(preview), **least, **changes})
    assert form.is_valid(), form.errors
    return form.choices()


def confirmed(submission: Submission, **changes: object) -> Submission:
    assert confirm(submission, said(submission, **changes), at=timezone.now())
    submission.refresh_from_db()
    return submission


def imported(submission: Submission) -> Submission:
    import_submission(submission.uid)
    submission.refresh_from_db()
    return submission


def spooled() -> list[str]:
    return sorted(path.name for path in settings.UPLOAD_SPOOL.iterdir())
