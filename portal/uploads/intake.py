"""Reads what was uploaded, before anything of it is stored: the preview that its owner confirms, or a refusal."""

from contextlib import suppress
from uuid import UUID

from django.utils import timezone

from evaluation.core import wire
from portal.uploads.bounded_memory import at_most
from portal.uploads.claims import Claim, Clock, Heartbeat, Lost, claim
from portal.uploads.failures import said_without_values
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.fields import shown
from portal.uploads.limits import reading_limits, upload_limits
from portal.uploads.preview import Preview, Reading
from portal.uploads.reading.refused import Refused
from portal.uploads.spool import spool
from portal.uploads.spooled_source import spooled_source
from portal.uploads.submission_words import SubmissionState

_SENTENCE_CHARACTERS = 500
_OURS = "Reading it failed several times on our side, and we could not say why. Staff can see the file's name and size."
_GONE = "It was not read in time, and its bytes were removed. Please upload it again."
_MEMORY = "It takes more memory to read than an upload may."


def read_submission(uid: UUID, *, clock: Clock = timezone.now) -> None:
    """Read one submission to its end; done twice, or at once by two workers, it is read as one reads it."""
    claimed = claim(uid, begin=SubmissionState.RECEIVED, going=SubmissionState.READING, at=clock())
    if claimed is None:
        return
    with said_without_values("reading", uid), suppress(Lost):
        if claimed.submission.tries > upload_limits().reading_tries:
            _refuse(claimed, _OURS, clock)
        else:
            _read(claimed, clock)


def _read(claimed: Claim, clock: Clock) -> None:
    try:
        with at_most(upload_limits().reading_memory_bytes):
            preview = _preview(claimed, clock)
    except Refused as refused:
        _refuse(claimed, refused.sentence, clock)
    except MemoryError:
        _refuse(claimed, _MEMORY, clock)
    except FileNotFoundError:
        _refuse(claimed, _GONE, clock)
    else:
        claimed.end(
            SubmissionState.UNDERSTOOD,
            at=clock(),
            understood=wire.encode(preview).decode(),
            format=preview.formats[0] if preview.formats else "",
            total=preview.trajectories,
            done=0,
        )


def _preview(claimed: Claim, clock: Clock) -> Preview:
    submission = claimed.submission
    beat = Heartbeat(claimed, clock)
    source = spooled_source(spool().path(submission.uid), submission.file_name, beat)
    limits = reading_limits()
    reading = Reading()
    for number, read in enumerate(importer_for(source, limits).read(source, limits), start=1):
        reading.add(read)
        del read  # so that it is gone before the next one is read
        beat(done=number)
    return reading.preview()


def _refuse(claimed: Claim, sentence: str, clock: Clock) -> None:
    """Its bytes go first: a refused upload leaves a row and nothing else."""
    spool().remove(claimed.submission.uid)
    said = shown(sentence, _SENTENCE_CHARACTERS) or _OURS
    claimed.end(SubmissionState.REFUSED, at=clock(), refused=said)
