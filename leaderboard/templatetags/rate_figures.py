"""The figures of one rate. A board shows hundreds of them: written here they take a tenth of what a template takes."""

from django.template import Library
from django.utils.html import format_html
from django.utils.safestring import SafeString

from leaderboard.ranking import Provenance
from leaderboard.standing import ShownRate
from leaderboard.templatetags.figures import count, share, unit

register = Library()


@register.simple_tag
def rate_figures(rate: ShownRate, address: str, provenance: Provenance) -> SafeString:
    """The share, which leads to ``address``; its interval; what it counts; and what of that is open."""
    return format_html(
        '<a href="{}">{}</a>\n{}<span class="small">{} {}{}</span>\n{}',
        address,
        share(rate.value),
        _interval(rate),
        _counts(rate),
        unit(rate),
        f", {count(rate.declared)} declared" if rate.counted != rate.declared else "",
        _open(rate, provenance),
    )


def _interval(rate: ShownRate) -> str:
    if rate.low is None:
        return ""
    ends = (share(rate.low), share(rate.high))
    return format_html('<span class="interval">{} to {}</span>\n', *ends)


def _counts(rate: ShownRate) -> str:
    counted = count(rate.counted)
    return counted if rate.hits is None else f"{count(rate.hits)} of {counted}"


def _open(rate: ShownRate, provenance: Provenance) -> str:
    if not rate.open:
        return ""
    verified = provenance is Provenance.VERIFIED
    what = "open, provisional" if verified else "without a reported result"
    return format_html('<span class="open small">{} {}</span>\n', count(rate.open), what)
