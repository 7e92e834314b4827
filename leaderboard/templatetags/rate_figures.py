"""The figures of one rate. A board shows hundreds of them: written here they take a tenth of what a template takes."""

from django.template import Library
from django.utils.safestring import SafeString, mark_safe

from leaderboard.ranking import Provenance
from leaderboard.standing import ShownRate
from leaderboard.templatetags.figures import count, share, unit
from leaderboard.templatetags.written import EMPTY, Html, joined, link, small, span, text

register = Library()


@register.simple_tag
def rate_figures(rate: ShownRate, address: str, provenance: Provenance) -> SafeString:
    """The share, which leads to ``address``; its interval; what it counts; and what of that is open."""
    return mark_safe(rate_html(rate, address, provenance))  # noqa: S308 (Html is escaped)


def rate_html(rate: ShownRate, address: str, provenance: Provenance) -> Html:
    """The same for what is written in Python."""
    counts = count(rate.counted)
    if rate.hits is not None:
        counts = f"{count(rate.hits)} of {counts}"
    declared = f", {count(rate.declared)} declared" if rate.counted != rate.declared else ""
    return joined(
        "\n",
        link(address, text(share(rate.value))),
        _interval(rate),
        small(text(f"{counts} {unit(rate)}{declared}")),
        _open(rate, provenance),
    )


def _interval(rate: ShownRate) -> Html:
    if rate.low is None:
        return EMPTY
    return span("interval", text(f"{share(rate.low)} to {share(rate.high)}"))


def _open(rate: ShownRate, provenance: Provenance) -> Html:
    if not rate.open:
        return EMPTY
    verified = provenance is Provenance.VERIFIED
    what = "open, provisional" if verified else "without a reported result"
    return span("open small", text(f"{count(rate.open)} {what}"))
