"""Which kernel, problem and target a command of staff is about."""

import re

from django.core.management.base import CommandError, CommandParser

from evaluation.core.verdict import Target
from evaluation.models import Hold, Kernel

_HASH = re.compile(r"[0-9a-f]{8,64}\Z")


def add_choice(parser: CommandParser) -> None:
    parser.add_argument("sha256", help="hash of the kernel; its first 8 characters or more will do")
    parser.add_argument("problem", help="name of the problem")
    parser.add_argument("target", choices=[str(word) for word in Target])


def chosen_kernels(sha256: str) -> list[Kernel]:
    """The kernels with this hash, one a language. Raise CommandError where there is none, or more than one hash."""
    if not _HASH.match(sha256):
        raise CommandError(f"{sha256[:80]!r} is no hash; give 8 to 64 characters of lower-case hex")
    found = list(Kernel.objects.filter(sha256__startswith=sha256).order_by("sha256", "language"))
    if not found:
        raise CommandError(f"no kernel has the hash {sha256}; its page shows the whole hash")
    if len({one.sha256 for one in found}) > 1:
        raise CommandError(f"more than one kernel's hash begins with {sha256}; give more of it")
    return found


def open_holds(sha256: str, problem: str, target: str) -> list[Hold]:
    """The open holds of the kernel there. Raise CommandError where there is none."""
    kernels = chosen_kernels(sha256)
    found = list(Hold.objects.open().filter(kernel__in=kernels, problem=problem, target=target))
    if not found:
        raise CommandError(
            f"{kernels[0].sha256[:12]} is not held at {problem} for {target}; see manage.py holds"
        )
    return found
