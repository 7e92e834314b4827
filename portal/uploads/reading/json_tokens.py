"""The words of JSON as patterns over bytes, and what is wrong where none of them fits."""

import re

_SPACE = rb"[ \t\n\r]*+"
# No NUL, and no half of a surrogate pair: neither PostgreSQL nor UTF-8 can hold them.
_ESCAPE = (
    rb'\\(?:["\\/bfnrt]|u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}'
    rb"|(?!0000|[dD][89a-fA-F])[0-9a-fA-F]{4}))"
)
_PLAIN = rb'[^"\\\x00-\x1f]++'
_INSIDE = rb"(?:" + _PLAIN + rb"|" + _ESCAPE + rb")*+"
_STRING = rb'"(' + _INSIDE + rb')"'
_NUMBER = rb"(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)(?![0-9a-zA-Z.+-])"

SPACE = re.compile(_SPACE)
# Groups: 1 the inside of a string, 2 a number, 3 a literal, 4 the mark behind any of these where it is near, which
# spares one more match for most of them, 5 the start of an array or object, 6 the end of an array.
VALUE = re.compile(
    _SPACE
    + rb"(?:(?:"
    + _STRING
    + rb"|"
    + _NUMBER
    + rb"|(true|false|null)(?![0-9a-zA-Z]))(?:"
    + _SPACE
    + rb"([,\]}]))?+|([\[{])|(\]))"
)
# Groups: 1 the inside of a key, 2 the end of an object.
KEY = re.compile(_SPACE + rb"(?:" + _STRING + _SPACE + rb":|(\}))")
AFTER = re.compile(_SPACE + rb"([,\]}])")

_INSIDE_SO_FAR = re.compile(rb'"' + _INSIDE)
_KEY_ALONE = re.compile(_STRING + _SPACE)
_NO_JSON_NUMBER = re.compile(rb"[-+]?(?:NaN|Inf)", re.IGNORECASE)
# The longest token or escape but a string, with room: what is not understood with so much behind it never will be.
DECISIVE_BYTES = 256


def needs_more(rest: bytes) -> bool:
    """Whether ``rest``, which begins with no whole token, may become one when more of the document is read."""
    if len(rest) < DECISIVE_BYTES:
        return True
    if not rest.startswith(b'"'):
        return False
    key = _KEY_ALONE.match(rest)
    if key is not None:
        return key.end() == len(rest)
    inside = _INSIDE_SO_FAR.match(rest)
    return inside is not None and len(rest) - inside.end() < DECISIVE_BYTES


def what_is_wrong(rest: bytes, *, at_end: bool) -> str:
    """Why no token of JSON begins here, as the end of a sentence."""
    if not rest:
        return "ends before the document does"
    if rest.startswith(b'"'):
        return _what_is_wrong_with_a_string(rest, at_end=at_end)
    if _NO_JSON_NUMBER.match(rest):
        return "has NaN or Infinity, which JSON has not"
    if rest.startswith(b"\x00"):
        return "has a NUL byte"
    return "is not JSON"


def _what_is_wrong_with_a_string(rest: bytes, *, at_end: bool) -> str:
    inside = _INSIDE_SO_FAR.match(rest)
    stop = rest[inside.end() :] if inside is not None else b""
    if at_end and not stop:
        return "ends inside a string"
    if stop.startswith(b'"'):
        return "is not JSON"
    if stop[:6].lower() == b"\\u0000" or stop.startswith(b"\x00"):
        return "has a NUL in a string"
    if stop[:3].lower() == b"\\ud":
        return "has half of a surrogate pair in a string"
    if stop.startswith(b"\\"):
        return "has an escape in a string that JSON has not"
    return "has a control character in a string"
