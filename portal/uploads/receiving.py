"""Takes the bytes of an upload, whole or in parts. One owner has the same bytes at most once."""

import errno
import logging
import re
import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.http import UnreadablePostError

from portal.accounts.models import User
from portal.dispatch.waking import wake
from portal.uploads.importers.fields import shown
from portal.uploads.limits import reading_limits, upload_limits
from portal.uploads.models import Submission
from portal.uploads.reading.readable import Readable
from portal.uploads.spool import spool
from portal.uploads.submission_words import HELD_ONCE, READ_TASK, UNFINISHED, SubmissionState

log = logging.getLogger(__name__)

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NAME_CHARACTERS = 200
BLOCK_BYTES = 4 << 20  # of which each is acknowledged on its own


class NotTaken(Exception):
    """Why an upload is not taken: a word for programs, what happened, and what to do."""

    def __init__(self, error: str, what: str, do: str, *, offset: int | None = None) -> None:
        super().__init__(f"{error}: {what}")
        self.error = error
        self.what = what
        self.do = do
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Received:
    """``created`` is False where the owner had handed in the same bytes before; nothing was changed then."""

    submission: Submission
    created: bool


def receive_whole(
    account: User, name: str, stream: Readable, *, size: int, at: datetime
) -> Received:
    """Take an upload that came in one request. Raise NotTaken."""
    submission = start_upload(account, name, size=size, sha256="", at=at).submission
    try:
        taken = add_part(submission, stream, offset=0, at=at)
    finally:
        # What did not arrive whole is nothing that its sender could go on with.
        if Submission.objects.filter(pk=submission.pk, state=SubmissionState.UPLOADING).delete()[0]:
            spool().remove(submission.uid)
    if taken.submission.state == SubmissionState.UPLOADING:
        raise NotTaken("incomplete", "the upload broke off", "send it again")
    return taken


def start_upload(account: User, name: str, *, size: int, sha256: str, at: datetime) -> Received:
    """Make room for an upload that will come in parts. Raise NotTaken.

    ``sha256`` is what the sender says it will be, or empty. Where this owner has those bytes, that one is given.
    """
    _check_announced(size, sha256)
    there = _held(account.owner, sha256) if sha256 else None
    if there is not None:
        return Received(there, created=False)
    with transaction.atomic():
        # Two requests at once would each find room for one more.
        User.objects.select_for_update().get(pk=account.pk)
        _check_room(account.owner, size)
        submission = Submission.objects.create(
            uid=uuid.uuid4(),
            owner=account.owner,
            uploader=account.owner,
            file_name=file_name(name),
            size=size,
            sha256=sha256,
            created_at=at,
            changed_at=at,
        )
        try:
            spool().create(submission.uid)
        except OSError as failed:
            if failed.errno not in _FULL:
                raise
            raise _no_room() from None
    return Received(submission, created=True)


def add_part(submission: Submission, stream: Readable, *, offset: int, at: datetime) -> Received:
    """Write bytes at ``offset``, which is where the upload ends so far; the last ones complete it. Raise NotTaken.

    Nothing is held while the network is waited for: a request that hangs is overtaken by the one that its sender makes
    next, and finds that its bytes are not wanted any more.
    """
    received = _add_block(submission, b"", offset=offset, at=at)
    while received is None and (block := _block(stream, submission.size - offset)):
        received = _add_block(submission, block, offset=offset, at=at)
        offset += len(block)
    return received or Received(submission, created=True)


def _add_block(
    submission: Submission, block: bytes, *, offset: int, at: datetime
) -> Received | None:
    """Write a block where the upload ends; None while it is not complete."""
    try:
        with spool().writing(submission.uid) as writing:
            submission.refresh_from_db()
            _check_offset(submission, offset)
            writing.put(block, offset=offset)
            mine = Submission.objects.filter(pk=submission.pk, state=SubmissionState.UPLOADING)
            mine.update(received=offset + len(block), changed_at=at)
            submission.refresh_from_db()
            if submission.received == submission.size:
                return _complete(submission, at=at)
    except (FileNotFoundError, Submission.DoesNotExist):
        raise _complete_already() from None
    except OSError as failed:
        if failed.errno not in _FULL:
            raise
        raise _no_room() from None
    return None


def _block(stream: Readable, most: int) -> bytes:
    """At most BLOCK_BYTES of a stream, less where it ends or breaks off: who sent it asks how much arrived."""
    wanted = min(BLOCK_BYTES, most)
    block = bytearray()
    try:
        while len(block) < wanted and (chunk := stream.read(wanted - len(block))):
            block += chunk
    except UnreadablePostError:
        pass
    return bytes(block)


def _no_room() -> NotTaken:
    log.error("the disk of the spool is full, and uploads are refused")
    return NotTaken("no_room", "there is no room for it here now", "try again later; staff know")


def file_name(name: str) -> str:
    """The last part of a path, as one printable line that keeps its end, which may tell the language."""
    last = shown(re.split(r"[/\\]", name)[-1][-1000:], 1000)
    return last[-_NAME_CHARACTERS:] or "upload"


def _held(owner: str, sha256: str) -> Submission | None:
    return Submission.objects.filter(owner=owner, sha256=sha256, state__in=HELD_ONCE).first()


def _complete(submission: Submission, *, at: datetime) -> Received:
    sha256 = spool().digest(submission.uid)
    if submission.sha256 and submission.sha256 != sha256:
        what = "the bytes that arrived have another SHA-256 than the one that was announced"
        Submission.objects.filter(pk=submission.pk, state=SubmissionState.UPLOADING).delete()
        spool().remove(submission.uid)
        raise NotTaken("wrong_digest", what, "start the upload again")
    mine = Submission.objects.filter(pk=submission.pk, state=SubmissionState.UPLOADING)
    try:
        with transaction.atomic():
            mine.update(state=SubmissionState.RECEIVED, sha256=sha256, changed_at=at)
            wake(READ_TASK, str(submission.uid))
    except IntegrityError:
        there = _held(submission.owner, sha256)
        if there is None:
            raise
        mine.delete()
        spool().remove(submission.uid)
        return Received(there, created=False)
    submission.refresh_from_db()
    return Received(submission, created=True)


def _check_announced(size: int, sha256: str) -> None:
    most = reading_limits().archive_bytes
    if size < 1:
        raise NotTaken("empty", "the upload is empty", "send a file that holds something")
    if size > most:
        what = f"the upload has {size:,} bytes; at most {most:,} are taken"
        raise NotTaken("too_large", what, "split it, or leave out what is not needed")
    if sha256 and not _SHA256.match(sha256):
        what = "sha256 is no SHA-256 in lower-case hex"
        raise NotTaken("bad_request", what, "send 64 hexadecimal digits, or leave it out")


def _check_room(owner: str, size: int) -> None:
    limits = upload_limits()
    unfinished = Submission.objects.filter(owner=owner, state__in=UNFINISHED)
    taken = unfinished.aggregate(bytes=Sum("size"))["bytes"] or 0
    if unfinished.count() >= limits.unfinished or taken + size > limits.unfinished_bytes:
        what = (
            f"you have {unfinished.count()} uploads of {taken:,} bytes that are not confirmed yet;"
            f" {limits.unfinished} of {limits.unfinished_bytes:,} bytes together may wait"
        )
        raise NotTaken("too_many_unfinished", what, "confirm or cancel some of them")


def _check_offset(submission: Submission, offset: int) -> None:
    if submission.state != SubmissionState.UPLOADING:
        raise _complete_already()
    if offset != submission.received:
        what = f"the part begins at {offset}, and the upload has {submission.received} bytes"
        do = "go on at Upload-Offset"
        raise NotTaken("wrong_offset", what, do, offset=submission.received)


def _complete_already() -> NotTaken:
    return NotTaken("complete", "this upload takes no more bytes", "ask for its state")
