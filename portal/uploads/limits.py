"""How much may be uploaded; the numbers are settings."""

from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings

from portal.uploads.reading.limits import Limits


@dataclass(frozen=True, slots=True)
class UploadLimits:
    """Beside what readers obey: one part, and what one owner may have in the spool without having confirmed it."""

    part_bytes: int = 64 << 20
    unfinished: int = 20
    unfinished_bytes: int = 4 << 30
    kept: timedelta = timedelta(hours=24)
    lease: timedelta = timedelta(
        minutes=5
    )  # how long nothing may be heard of a worker before another one follows
    reading_tries: int = 3
    reading_memory_bytes: int = 1 << 30


def reading_limits() -> Limits:
    return Limits(**settings.READING_LIMITS)


def upload_limits() -> UploadLimits:
    return UploadLimits(**settings.UPLOAD_LIMITS)
