"""A kernel made fit to be kept: found in a reply or given as text, bounded, scrubbed, or missing with its reason."""

from dataclasses import dataclass

from evaluation.core.entry_words import Missing
from evaluation.core.quoting import counted
from evaluation.core.verdict import Language
from portal.uploads.importers.fields import Problems
from portal.uploads.importers.kernel_of_turn import (
    LIMIT_FENCES,
    LIMIT_REPLY_CHARACTERS,
    How,
    fences_in,
    kernel_of_turn,
)
from portal.uploads.importers.records import Trouble
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.scrub import Found, scrub

NO_CODE_EVENT = "no_code"

_UNUSUAL = {
    How.RELATED_TAG: "the kernel stands in a block of a related language tag: there is none of the usual one",
    How.NO_TAG: "the kernel stands in a block without a language tag: there is none with one",
    How.NEVER_CLOSED: "the kernel's block is never closed, so it ends where the reply ends",
}


@dataclass(frozen=True, slots=True)
class TurnKernel:
    """``source`` is scrubbed, and None exactly when ``missing`` is set to anything but SCRUBBED."""

    source: str | None
    missing: Missing | None = None
    said: str = ""
    secrets: tuple[Found, ...] = ()


def kept(source: str, limits: Limits) -> TurnKernel:
    """Keep a kernel given as text, or say why not."""
    if not source.strip():
        return TurnKernel(None, Missing.NO_CODE, "the kernel is empty")
    try:
        size = len(source.encode())
    except UnicodeEncodeError:  # half a surrogate pair
        size = 0
    if not size or "\0" in source:
        said = "the kernel holds characters that no source file can have"
        return TurnKernel(None, Missing.UNREADABLE, said)
    if size > limits.kernel_bytes:
        said = f"the kernel has {size} bytes; at most {limits.kernel_bytes} are judged"
        return TurnKernel(None, Missing.TOO_LARGE, said)
    scrubbed = scrub(source)
    if not scrubbed.changed:
        return TurnKernel(source)
    said = f"{counted(scrubbed.total, 'secret')} had to be removed from the kernel, so it is not judged"
    return TurnKernel(scrubbed.text, Missing.SCRUBBED, said, scrubbed.found)


def kept_of_reply(
    reply: str, language: Language, event: str, limits: Limits, *, problems: Problems, where: str
) -> TurnKernel:
    """Keep the kernel that a reply holds, or say why there is none."""
    if len(reply) > LIMIT_REPLY_CHARACTERS:
        said = f"the reply has more than {LIMIT_REPLY_CHARACTERS} characters"
        return TurnKernel(None, Missing.TOO_LARGE, said)
    if fences_in(reply) > LIMIT_FENCES:
        said = f"the reply has more than {LIMIT_FENCES} fences"
        return TurnKernel(None, Missing.UNREADABLE, said)
    found = kernel_of_turn(reply, language)
    if found is None:
        return TurnKernel(None, Missing.NO_CODE, "the reply holds no block of code")
    if event == NO_CODE_EVENT:
        # The harness told the model that it found nothing and evaluated nothing: to judge a kernel here would give
        # the model a turn that its own harness did not.
        sentence = "the harness found no kernel in this reply, though it seems to hold one"
        problems.add(Trouble.NO_CODE_SAID, sentence, where)
        return TurnKernel(None, Missing.NO_CODE, "the harness found no kernel in the reply")
    if found.how in _UNUSUAL:
        problems.add(Trouble.UNUSUAL_FENCE, _UNUSUAL[found.how], where)
    return kept(found.source, limits)
