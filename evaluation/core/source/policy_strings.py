"""What string literals give away: file directives of an assembler, library names, paths, images."""

import re
from collections.abc import Iterator, Mapping, Sequence

from evaluation.core.source.brackets import in_asm
from evaluation.core.source.directives import Line, Macro, text
from evaluation.core.source.lexer import Token
from evaluation.core.source.literals import named_texts, texts
from evaluation.core.source.policy_rules import Sighting, seen
from evaluation.core.source.policy_words import JUDGE, VENDOR, kind_of

_FILES = re.compile(r"\.\s*(?:incbin|include)\b", re.IGNORECASE)
_MACROS = re.compile(r"\.\s*(?:macro|altmacro|irpc?|rept|purgem)\b", re.IGNORECASE)
_SECTIONS = re.compile(
    r"\.\s*(?:section|pushsection|popsection|subsection|previous|init_array|symver|weak|set)\b",
    re.IGNORECASE,
)
_SYSTEM_CALL = re.compile(r"\b(?:syscall|sysenter)\b|\bint\s+\$?0x80\b", re.IGNORECASE)
# Instructions by which a processor tells programs apart from run to run or machine to machine.
_PROCESSOR = re.compile(r"\b(?:cpuid|rdtscp?|rdrand|rdseed|rdpid|xgetbv)\b", re.IGNORECASE)
_LIBRARY = re.compile(rf"\.so\b|\blib(?:cuda|nv|torch|c10)|{VENDOR.pattern}", re.IGNORECASE)
_PATH = re.compile(r"/(?:proc|sys|dev|etc|usr|home|root|tmp|var)/")
_IMAGE = re.compile(r"\x7fELF|\.target\s+sm_")
_JUDGE = re.compile(JUDGE, re.IGNORECASE)

# gcc's extended asm: braces hold one alternative for each dialect, and %% %{ %| %} stand for the character itself.
_DIALECTS = re.compile(r"(?<!%)\{([^{}|]*)(?:\|[^{}|]*)*(?<!%)\}")
_ESCAPED = re.compile(r"%([%{|}])")

_ANYWHERE = (
    ("asm_file", _FILES),
    ("library_name", _LIBRARY),
    ("environment_probe", _PATH),
    ("device_image", _IMAGE),
    ("judge_name", _JUDGE),
)
# In a macro's text too, since an asm statement may be made of macros.
_IN_ASM = (
    ("asm_macro", _MACROS),
    ("asm_section", _SECTIONS),
    ("environment_probe", _PROCESSOR),
    ("raw_syscall", _SYSTEM_CALL),
)


def strings(lines: tuple[Line, ...], macros: tuple[Macro, ...]) -> Iterator[Sighting]:
    """Look at literals as the compiler joins them: neighbours, escapes and simple macros resolved."""
    known = named_texts(macros)
    tokens = text(lines)
    yield from _judge(tokens, known, in_asm(tokens))
    for macro in macros:
        yield from _judge(macro.body, known, [True] * len(macro.body))
    for line in lines:
        if line.directive not in {None, "define"}:
            yield from _judge(line.operands, known, [False] * len(line.operands))


def _judge(
    tokens: Sequence[Token], known: Mapping[str, str], asm: list[bool]
) -> Iterator[Sighting]:
    for joined in texts(tokens, known):
        shown = joined.value
        patterns = (*_ANYWHERE, *(_IN_ASM if asm[joined.index] else ()))
        for reading in _readings(shown) if asm[joined.index] else (shown,):
            for kind, pattern in patterns:
                found = pattern.search(reading)
                if found is not None:
                    yield seen(kind, joined.token, _around(reading, found))
        kind_by_name = kind_of(shown)
        if kind_by_name is not None and shown.isidentifier():
            yield seen(kind_by_name, joined.token, shown)


def _readings(shown: str) -> tuple[str, ...]:
    """Assembler text as written and, where it has dialects ``{att|intel}``, as gcc hands the first one on."""
    first = _DIALECTS.sub(r"\1", shown)
    plain = _ESCAPED.sub(r"\1", first)
    return (shown,) if plain == shown else (shown, plain)


def _around(shown: str, found: re.Match[str]) -> str:
    return shown[max(found.start() - 20, 0) : found.end() + 20]
