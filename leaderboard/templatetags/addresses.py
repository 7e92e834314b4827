"""Addresses that lead from a figure to where it stands or comes from."""

import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.template import Library
from django.urls import reverse

from leaderboard.ranking import Provenance
from leaderboard.selectors import BoardHead, BoardRow

register = Library()


@dataclass(frozen=True, slots=True)
class AddressesOf:
    """The addresses of pages of one kind: looked up once, since Django takes 0.05 ms and a board has hundreds."""

    before: str
    after: str

    @classmethod
    def kind(cls, name: str, sample: str) -> "AddressesOf":
        """``sample`` is what such a page may be of; its text stands nowhere else in the address."""
        before, after = reverse(name, args=[sample]).split(sample)
        return cls(before, after)

    def __call__(self, one: str) -> str:
        return f"{self.before}{one}{self.after}"


@dataclass(frozen=True, slots=True)
class EvidenceAddresses:
    """Where the rows of a board lead to; made for each page that writes its rows in Python."""

    model: AddressesOf
    entry: AddressesOf
    trajectory: AddressesOf
    kernel: AddressesOf
    run: AddressesOf
    published: str

    @classmethod
    def looked_up(cls) -> "EvidenceAddresses":
        return cls(
            model=AddressesOf.kind("model", _SAMPLE_SLUG),
            entry=AddressesOf.kind("entry", _SAMPLE_UID),
            trajectory=AddressesOf.kind("trajectory", _SAMPLE_UID),
            kernel=AddressesOf.kind("kernel", _SAMPLE_SHA256),
            run=AddressesOf.kind("run", _SAMPLE_UID),
            published=reverse("published"),
        )

    def of(self, row: BoardRow) -> str:
        """Where the rates of a row come from: its entry, or the page of published values."""
        return self.entry(row.entry_uid) if row.entry_uid else self.published


_PLACE = re.compile(r"[-a-zA-Z0-9_]+")
_SAMPLE_SLUG = "0-sample-0"
_SAMPLE_UID = "00000000-0000-4000-8000-000000000000"
_SAMPLE_SHA256 = "0" * 64


def is_part_of_an_address(device: str) -> bool:
    """Publications and uploads name devices as they like, and some names are in no address."""
    return _PLACE.fullmatch(device) is not None


@register.simple_tag
def board_address(head: BoardHead, provenance: str = "", turn_limit: int | None = None) -> str:
    """The board's page; empty for a device whose name is no part of an address."""
    words = {
        "problem": head.problem,
        "suite": "" if head.suite == "paper" else head.suite,
        "T": str(turn_limit or ""),
        "language": "" if head.language == "cuda" else head.language,
        "provenance": "" if provenance == Provenance.VERIFIED else provenance,
    }
    query = urlencode({name: word for name, word in words.items() if word})
    place = head.device or head.target
    if not is_part_of_an_address(place):
        return ""
    # As the resolver has it, which takes 0.05 ms; a page leads to boards from a hundred figures.
    path = f"/boards/{head.kind}/{place}/"
    return f"{path}?{query}" if query else path


@register.simple_tag
def rule_address(rule: str) -> str:
    """Where the page of verdicts says what a rule asks."""
    anchor = "".join(one if one.isalnum() or one == "_" else "-" for one in rule.lower())
    return f"{reverse('verdicts')}#{anchor.strip('-')}"
