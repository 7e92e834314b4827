"""The lexer and the policy take anything: they end, cover the source and never raise."""

import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.source.lexer import Lexed, Problem, lex
from evaluation.core.source.policy import LIMIT_EVIDENCE, LIMIT_REMARKS, review
from evaluation.core.source.policy_rules import RULES, SIGNALS
from evaluation.core.verdict import Language, Verdict

KERNELS = [
    path.read_bytes()
    for path in sorted((Path(__file__).parents[1] / "golden").glob("*/*/kernel.cu"))
]
# What may stand between two tokens: white space, splices, and the LF of a CR LF.
GAP = re.compile(r"(?:[ \t\f\v\0]|\\[ \t\f\v\0]*(?:\r\n|\n|\r|\Z)|\n)*\Z")
PIECES = st.sampled_from(
    [
        *(b'"', b"'", b"\\", b"\n", b"\r\n", b"\r", b"/*", b"*/", b"//", b'R"x(', b')x"', b"u8"),
        *(b"#", b"%:", b"##", b"#include ", b"<a>", b'"b"', b"#define A(x, ...) ", b"__VA_ARGS__"),
        *(b"#if ", b"__has_include", b"(", b")", b",", b"A", b"x", b"1'0", b"e+", b"\xff", b"\0"),
        *(
            b"asm",
            b"__attribute__",
            b"[",
            b"]",
            b"_Pragma",
            b"GCC ",
            b"poison",
            b"std::",
            b"\xc3\xa9",
        ),
        *(b".incbin", b"cublas", b"\\u0061", b"\\x41", b" ", b"\t", b"??=", b"\xef\xbb\xbf", b";"),
    ]
)
SOURCES = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(PIECES, max_size=60).map(b"".join),
)


@st.composite
def damaged_kernels(draw: st.DrawFn) -> bytes:
    """Take a real kernel and cut, repeat or replace a few places of it."""
    source = draw(st.sampled_from(KERNELS))[:20_000]
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(source)))
        end = min(start + draw(st.integers(0, 40)), len(source))
        source = source[:start] + draw(st.one_of(PIECES, st.just(b""))) + source[end:]
    return source


def assert_covers(source: bytes, read: Lexed) -> None:
    """Tokens are in order, do not overlap, and leave out nothing but gaps."""
    physical = read.source.physical
    assert physical.encode("utf-8", "surrogateescape") == source
    at = 1 if physical.startswith("\ufeff") else 0
    place = (0, 0)
    for token in read.tokens:
        assert at <= token.start < token.end
        assert GAP.match(physical[at : token.start]), token
        assert (token.line, token.column) > place
        if not re.search(r"\\[ \t\f\v\0]*[\r\n]|\r", physical[token.start : token.end]):
            assert physical[token.start : token.end] == token.spelling
        at, place = token.end, (token.line, token.column)
    if all(one.problem is not Problem.TOO_MANY_TOKENS for one in read.problems):
        assert GAP.match(physical[at:])


@settings(max_examples=250, deadline=None)
@given(SOURCES)
def test_tokens_cover_any_bytes_in_order(source: bytes) -> None:
    assert_covers(source, lex(source))


@settings(max_examples=25, deadline=None)
@given(damaged_kernels())
def test_tokens_cover_damaged_kernels_in_order(source: bytes) -> None:
    assert_covers(source, lex(source))


@settings(max_examples=100, deadline=None)
@given(SOURCES, st.integers(0, 20))
def test_a_limit_of_tokens_gives_the_first_ones(source: bytes, limit: int) -> None:
    assert lex(source, limit_tokens=limit).tokens == lex(source).tokens[:limit]


def assert_bounded(source: bytes) -> None:
    report = review(source, language=Language.CUDA)
    rules = {rule for rule, _ in RULES}
    kinds = [one.kind for one in SIGNALS]
    assert report.verdict in {None, Verdict.POLICY_REJECTED, Verdict.NO_KERNEL}
    assert len(report.remarks) <= LIMIT_REMARKS + 1
    assert {one.rule for one in report.remarks} <= rules
    assert [one.kind for one in report.signals] == sorted(
        {one.kind for one in report.signals}, key=kinds.index
    )
    for signal in report.signals:
        assert 0 < len(signal.evidence) <= LIMIT_EVIDENCE + 1
        assert all(line.isprintable() and len(line) < 300 for line in signal.evidence)
    assert report == review(source, language=Language.CUDA)


@settings(max_examples=250, deadline=None)
@given(SOURCES)
def test_a_review_of_any_bytes_is_a_bounded_report(source: bytes) -> None:
    assert_bounded(source)


@settings(max_examples=25, deadline=None)
@given(damaged_kernels())
def test_a_review_of_damaged_kernels_is_a_bounded_report(source: bytes) -> None:
    assert_bounded(source)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([b"x", b"/**/", b" ", b'"a"', b"1"]), max_size=8))
def test_splices_change_no_spelling(pieces: list[bytes]) -> None:
    plain = [token.spelling for token in lex(b" ".join(pieces)).tokens]
    spliced = b" ".join(b"\\\n".join(bytes([one]) for one in piece) for piece in pieces)
    assert [token.spelling for token in lex(spliced).tokens] == plain
