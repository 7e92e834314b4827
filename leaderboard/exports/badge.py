"""A badge as SVG: two boxes with a line of text each, drawn with attributes alone, as a strict policy allows."""

from html import escape

_HEIGHT = 20
_CHARACTER = 6.6  # of an 11 px sans; the text is stretched to fit, whichever font there is
_MARGIN = 8
_LONGEST = 60
_SAID_ON = "#3a3f47"
_RANKED_ON = "#1c5d8c"
_UNRANKED_ON = "#595f69"


def badge(said: str, value: str, *, title: str, is_ranked: bool) -> str:
    """White on dark grey and blue, or on greys where there is no rank; ``title`` is for who does not see it."""
    said, value = said[:_LONGEST], value[:_LONGEST]
    left, right = _width(said), _width(value)
    shade = _RANKED_ON if is_ranked else _UNRANKED_ON
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{_HEIGHT}" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<rect width="{left}" height="{_HEIGHT}" fill="{_SAID_ON}"/>'
        f'<rect x="{left}" width="{right}" height="{_HEIGHT}" fill="{shade}"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{_line(said, 0, left)}{_line(value, left, right)}</g></svg>\n"
    )


def _width(text: str) -> int:
    return round(len(text) * _CHARACTER) + 2 * _MARGIN


def _line(text: str, x: int, width: int) -> str:
    fit = f'textLength="{width - 2 * _MARGIN}" lengthAdjust="spacingAndGlyphs"'
    return f'<text x="{x + _MARGIN}" y="14" {fit}>{escape(text)}</text>'
