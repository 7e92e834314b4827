"""PTX in which printf and assert of the driver are small functions of the file itself (docs/rules.md, T5).

The driver would parse what a kernel leaves in the buffer of ``vprintf``. In the image that is measured ``vprintf`` does
nothing and returns 0, and ``__assertfail`` is a trap. Authors may write PTX too, in file scope and with any comment and
string, so declarations are found token by token; one that is not exactly the compiler's own is refused by name.
Whatever is missed here stays an extern of the cubin, and the binary rules refuse that.
"""

import re
from dataclasses import dataclass, field
from typing import Final

LIMIT_BYTES: Final = 16 << 20

_GAP: Final = rb"(?:\s|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
# What a walk through the file has to see; a quotation mark alone begins a string that nobody can be sure to read.
_MARK: Final = re.compile(
    rb"//[^\n]*+"
    rb"|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
    rb'|"[^"\\\n]*+"'
    rb'|["{}]'
    rb"|(?P<extern>\.extern" + _GAP + rb")?\.func(?![\w$])"
)
_TOKEN: Final = re.compile(_GAP + rb"(\.?[A-Za-z_$%][\w$]*+|\S)")
_NAME: Final = re.compile(rb"[A-Za-z_$%][\w$]*\Z")
_ANY_NAME: Final = b"?"
_MOST_TOKENS: Final = 48


def _shape(text: str) -> tuple[bytes, ...]:
    return tuple(text.encode().split())


@dataclass(frozen=True, slots=True)
class _Stub:
    """``shape``: the compiler's declaration behind ``.func``; a question mark stands for a parameter's name."""

    shape: tuple[bytes, ...]
    text: bytes


_STUBS: Final = {
    b"vprintf": _Stub(
        _shape("( .param .b32 ? ) vprintf ( .param .b64 ? , .param .b64 ? ) ;"),
        b".func (.param .b32 printed) vprintf(.param .b64 format, .param .b64 values)"
        b" { st.param.b32 [printed], 0; ret; }",
    ),
    b"__assertfail": _Stub(
        _shape(
            "__assertfail ( .param .b64 ? , .param .b64 ? , .param .b32 ? , .param .b64 ? , .param .b64 ? ) ;"
        ),
        b".func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, .param .b64 function,"
        b" .param .b64 size) { trap; exit; }",
    ),
}
# All that decides what comes of a file, for keys of kept builds.
STUB_TEXT: Final = b"\n".join(stub.text for stub in _STUBS.values())


@dataclass(frozen=True, slots=True)
class Replaced:
    """PTX with stubs, and whose: ``vprintf``, ``__assertfail``."""

    ptx: bytes = field(repr=False)
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Irreplaceable:
    """``why`` is a sentence for the author."""

    why: str


@dataclass(frozen=True, slots=True)
class _Declaration:
    start: int
    end: int
    extern: bool
    exact: bool


def replace_device_calls(ptx: bytes) -> Replaced | Irreplaceable | None:
    """Give ``vprintf`` and ``__assertfail`` bodies where the file only declares them; None when it declares neither."""
    if not any(name in ptx for name in _STUBS):
        return None
    if len(ptx) > LIMIT_BYTES:
        return Irreplaceable(
            f"{len(ptx)} bytes of PTX call printf or assert; at most {LIMIT_BYTES} are rewritten"
        )
    declared = _declarations(ptx)
    if isinstance(declared, Irreplaceable):
        return declared
    chosen = {name: found for name, found in declared.items() if any(one.extern for one in found)}
    for name, found in chosen.items():
        if len(found) > 1:
            return Irreplaceable(f"PTX declares {name.decode()} {len(found)} times")
        if not found[0].exact:
            return Irreplaceable(f"PTX declares {name.decode()} otherwise than the compiler does")
    return _with_stubs(ptx, {name: found[0] for name, found in chosen.items()}) if chosen else None


def _with_stubs(ptx: bytes, chosen: dict[bytes, _Declaration]) -> Replaced:
    parts: list[bytes] = []
    place = 0
    for name, one in sorted(chosen.items(), key=lambda item: item[1].start):
        parts += [ptx[place : one.start], _STUBS[name].text]
        place = one.end
    names = tuple(name.decode() for name in _STUBS if name in chosen)
    return Replaced(b"".join((*parts, ptx[place:])), names)


def _declarations(ptx: bytes) -> dict[bytes, list[_Declaration]] | Irreplaceable:
    """Find every declaration or definition of a function that has a stub."""
    found: dict[bytes, list[_Declaration]] = {}
    depth = 0
    for mark in _MARK.finditer(ptx):
        match mark[0][:1]:
            case b"{":
                depth += 1
            case b"}":
                depth -= 1
            case b'"' if len(mark[0]) == 1:
                return Irreplaceable(
                    "a string in PTX has a backslash or no end, which cannot be read beside printf or assert"
                )
            case b".":
                tokens, end = _header(ptx, mark.end())
                name = _function_name(tokens)
                if stub := _STUBS.get(name):
                    extern = mark["extern"] is not None
                    exact = extern and depth == 0 and _matches(tokens, stub.shape)
                    found.setdefault(name, []).append(
                        _Declaration(mark.start(), end, extern, exact)
                    )
    return found


def _header(ptx: bytes, place: int) -> tuple[tuple[bytes, ...], int]:
    """Tokens behind ``.func`` up to a semicolon or brace, and where the last one ends.

    It also ends before the next function, so that no byte is looked at for more than one of them.
    """
    tokens: list[bytes] = []
    while len(tokens) < _MOST_TOKENS and (token := _TOKEN.match(ptx, place)):
        if token[1] in (b".func", b".extern"):
            break
        tokens.append(token[1])
        place = token.end()
        if token[1] in (b";", b"{"):
            break
    return tuple(tokens), place


def _function_name(tokens: tuple[bytes, ...]) -> bytes:
    """The first name outside parentheses; empty when there is none."""
    depth = 0
    for token in tokens:
        depth += {b"(": 1, b")": -1}.get(token, 0)
        if depth == 0 and _NAME.match(token):
            return token
    return b""


def _matches(tokens: tuple[bytes, ...], shape: tuple[bytes, ...]) -> bool:
    return len(tokens) == len(shape) and all(
        _NAME.match(token) if wanted == _ANY_NAME else token == wanted
        for token, wanted in zip(tokens, shape, strict=True)
    )
