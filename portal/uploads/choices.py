"""What its owner says of an upload when they confirm it."""

from dataclasses import dataclass
from datetime import datetime

from evaluation.core import wire
from evaluation.core.entry_words import Visibility
from evaluation.core.verdict import Target
from portal.uploads.models import Submission

LICENCES = ("CC-BY-4.0", "CC0-1.0", "Apache-2.0", "MIT", "BSD-3-Clause")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Of the whole entry. ``problem``, ``target`` and ``device`` fill in only what the upload does not say.

    ``embargo_until`` is a moment with its zone in ISO 8601, or empty.
    """

    model: str
    harness: str = ""
    harness_version: str = ""
    reasoning_effort: str = ""
    pack: str = ""
    licence: str
    visibility: Visibility
    embargo_until: str = ""
    problem: str = ""
    target: Target | None = None
    device: str = ""
    prompts: int
    trajectories: int
    turns: int

    @property
    def embargo(self) -> datetime | None:
        return datetime.fromisoformat(self.embargo_until) if self.embargo_until else None


def stored_choices(submission: Submission) -> Choices:
    where = f"choices of {submission.uid}"
    return wire.decode(Choices, submission.choices.encode(), where=where)
