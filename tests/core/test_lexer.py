import time

import pytest

from evaluation.core.source.lexer import (
    LexProblem,
    Problem,
    Token,
    TokenKind,
    lex,
)


def kinds(source: bytes) -> list[tuple[str, str]]:
    return [
        (token.kind.value, token.spelling)
        for token in lex(source).tokens
        if token.kind is not TokenKind.NEWLINE
    ]


def places(source: bytes) -> list[tuple[str, int, int]]:
    return [
        (token.spelling, token.line, token.column)
        for token in lex(source).tokens
        if token.kind is not TokenKind.NEWLINE
    ]


def problems(source: bytes) -> list[tuple[Problem, int, int]]:
    return [(one.problem, one.line, one.column) for one in lex(source).problems]


def test_a_launch_is_read_with_its_triple_brackets() -> None:
    assert [spelling for _, spelling in kinds(b"k<<<dim3(1), 2>>>(a);")] == [
        *("k", "<<<", "dim3", "(", "1", ")", ",", "2", ">>>", "(", "a", ")", ";")
    ]


@pytest.mark.parametrize(
    "spelling",
    [
        *("%:%:", "##", "<<<", ">>>", "<<=", ">>=", "<=>", "...", "->*", "<:", ":>", "<%", "%>"),
        *("<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->", ".*", "::", "+=", "-="),
        *("*=", "/=", "%=", "&=", "|=", "^=", "{", "}", "[", "]", "(", ")", "?", "~"),
    ],
)
def test_a_punctuator_is_one_token(spelling: str) -> None:
    assert kinds(f"a {spelling} b".encode())[1] == ("punctuator", spelling)


def test_a_hash_and_its_digraph_are_hashes_and_two_of_them_paste() -> None:
    assert kinds(b"# %: ## %:%: %:%") == [
        *[("hash", "#"), ("hash", "%:"), ("punctuator", "##"), ("punctuator", "%:%:")],
        *[("hash", "%:"), ("punctuator", "%")],
    ]


def test_a_digraph_bracket_gives_way_to_a_scope_as_the_standard_says() -> None:
    assert [word for _, word in kinds(b"a<::b> c<:::d:> e<::>f")] == [
        *("a", "<", "::", "b", ">", "c", "<:", "::", "d", ":>", "e", "<:", ":>", "f")
    ]


@pytest.mark.parametrize(
    "number",
    ["0", "1'000'000", "0x1.8p+1f", "1e-5", ".5e+3_km", "0b1010'1010", "1.2.3", "0xe+1", "12ull"],
)
def test_a_number_takes_separators_exponents_and_suffixes(number: str) -> None:
    assert kinds(number.encode()) == [("number", number)]


def test_a_separator_before_an_exponent_ends_the_sign_as_in_gcc() -> None:
    assert kinds(b"1'e+R") == [("number", "1'e"), ("punctuator", "+"), ("identifier", "R")]
    assert kinds(b"1'\"'") == [("number", "1"), ("character", "'\"'")]
    assert kinds(b"..1") == [("punctuator", "."), ("number", ".1")]


def test_identifiers_may_hold_dollars_letters_of_any_script_and_universal_names() -> None:
    assert kinds("a$b caf\u00e9 \\u00e9x \\U0001F600y _1".encode()) == [
        ("identifier", "a$b"),
        ("identifier", "caf\u00e9"),
        ("identifier", "\\u00e9x"),
        ("identifier", "\\U0001F600y"),
        ("identifier", "_1"),
    ]


def test_a_broken_universal_name_is_a_stray_backslash() -> None:
    assert kinds(b"\\u12x") == [("invalid", "\\"), ("identifier", "u12x")]


@pytest.mark.parametrize(
    ("kind", "literal"),
    [
        ("string", '"a\\"b"'),
        ("string", 'u8"a"'),
        ("string", 'L"a\\\\"'),
        ("string", '"a"_suffix'),
        ("character", "'\\''"),
        ("character", "u8'a'"),
        ("character", "U'a'"),
        ("character", "''"),
        ("raw_string", 'R"(a"b)"'),
        ("raw_string", 'u8R"x(a)" )y" )x"'),
        ("raw_string", 'LR"(a)"_s'),
        ("raw_string", 'R"a"b(x)a"b"'),
        ("raw_string", 'R"(one\ntwo\\)"'),
        ("raw_string", 'R"0123456789abcdef(x)0123456789abcdef"'),
    ],
)
def test_a_literal_is_one_token_with_prefix_and_suffix(kind: str, literal: str) -> None:
    assert kinds(f"f({literal})".encode())[2] == (kind, literal)


@pytest.mark.parametrize("word", ["r", "fooR", "Ru", "LuR", "RR"])
def test_only_the_five_raw_prefixes_begin_a_raw_string(word: str) -> None:
    assert kinds(f'{word}"(a)"'.encode()) == [("identifier", word), ("string", '"(a)"')]


def test_a_raw_string_keeps_its_splices_and_its_prefix_may_have_one() -> None:
    assert kinds(b'R\\\n"x(a\\\nb)x\\\n" )x" c') == [
        ("raw_string", 'R"x(a\\\nb)x\\\n" )x"'),
        ("identifier", "c"),
    ]


def test_what_follows_a_raw_string_has_its_place_after_the_lines_inside() -> None:
    assert places(b'R"(\r\n\\\n)" a') == [('R"(\r\n\\\n)"', 1, 1), ("a", 3, 4)]


def test_an_open_quote_ends_with_its_line() -> None:
    assert kinds(b'don\'t /*\n"x // \\" y\nz') == [
        ("identifier", "don"),
        ("unterminated", "'t /*"),
        ("unterminated", '"x // \\" y'),
        ("identifier", "z"),
    ]


def test_comments_are_tokens_and_may_be_spliced_at_any_place() -> None:
    assert kinds(b"/\\\n* a *\\\n/ b /\\\n/ c \\\n d\ne/**/f") == [
        ("comment", "/* a */"),
        ("identifier", "b"),
        ("comment", "// c  d"),
        ("identifier", "e"),
        ("comment", "/**/"),
        ("identifier", "f"),
    ]


def test_places_are_physical_across_splices_and_count_characters() -> None:
    assert places("\u00e9\u00e9 a\\\nb c\\ \t\n\\\nd".encode()) == [
        ("\u00e9\u00e9", 1, 1),
        ("ab", 1, 4),
        ("cd", 2, 3),
    ]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_each_line_end_ends_a_line_and_can_be_spliced(end: bytes) -> None:
    source = b"// a \\" + end + b"b" + end + b"#define c d" + end
    assert places(source) == [
        ("// a b", 1, 1),
        *[("#", 3, 1), ("define", 3, 2), ("c", 3, 9), ("d", 3, 11)],
    ]


def test_a_byte_order_mark_counts_for_nothing_at_the_start_only() -> None:
    assert places(b"\xef\xbb\xbf#a") == [("#", 1, 1), ("a", 1, 2)]
    assert lex(b"\xef\xbb\xbf#a").tokens[0].first
    assert not lex(b"\n\xef\xbb\xbf#a").tokens[2].first


def test_bytes_that_are_no_utf8_are_single_tokens() -> None:
    assert kinds(b'a\xff\xc3b "\xfe"') == [
        ("identifier", "a"),
        ("invalid", "\udcff"),
        ("invalid", "\udcc3"),
        ("identifier", "b"),
        ("string", '"\udcfe"'),
    ]


def test_a_token_knows_whether_it_is_first_and_whether_space_stands_before_it() -> None:
    tokens = [t for t in lex(b"/*\n*/ #a(b) /**/c\\\nd").tokens if t.kind is not TokenKind.COMMENT]
    assert [(t.spelling, t.first, t.spaced) for t in tokens] == [
        ("#", True, True),
        ("a", False, False),
        ("(", False, False),
        ("b", False, False),
        (")", False, False),
        ("cd", False, True),
    ]


@pytest.mark.parametrize("name", [b"include", b"include_next", b"import"])
def test_a_header_name_escapes_nothing_and_takes_comment_signs(name: bytes) -> None:
    assert kinds(b"#" + name + b' <a"/*b> // c')[2:] == [
        ("header", '<a"/*b>'),
        ("comment", "// c"),
    ]
    assert kinds(b"#" + name + b' "a\\" b')[2:] == [("header", '"a\\"'), ("identifier", "b")]


def test_header_names_are_expected_in_a_directive_only() -> None:
    assert kinds(b"include <a>")[1] == ("punctuator", "<")
    assert kinds(b"x #include <a>")[3] == ("punctuator", "<")
    assert kinds(b"#define include <a>")[3] == ("punctuator", "<")
    assert kinds(b"#pragma a <b>")[3] == ("punctuator", "<")


def test_the_rest_of_an_include_line_is_read_like_its_header() -> None:
    assert kinds(b"#include <a> L\"b\\\" '\\' <c>\n<d>")[3:] == [
        ("string", 'L"b\\"'),
        ("character", "'\\'"),
        ("header", "<c>"),
        ("punctuator", "<"),
        ("identifier", "d"),
        ("punctuator", ">"),
    ]


def test_has_include_expects_a_header_name_behind_its_bracket_in_a_condition() -> None:
    assert kinds(b"#if __has_include /**/ ( /**/ <a/*b>) && <c>")[5:8] == [
        ("comment", "/**/"),
        ("header", "<a/*b>"),
        ("punctuator", ")"),
    ]
    assert ("header", "<c>") not in kinds(b"#if __has_include(<a>) && <c>")
    assert ("header", '"\\"') in kinds(b'#elif __has_include_next("\\")')
    assert ("header", "<a>") not in kinds(b"#if __has_include <a>")
    assert ("header", "<a>") not in kinds(b"#pragma __has_include(<a>)")
    assert ("header", "<a>") not in kinds(b"__has_include(<a>)")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"a /* b", [(Problem.OPEN_COMMENT, 1, 3)]),
        (b'a\n R"x(b)y"', [(Problem.OPEN_RAW_STRING, 2, 2)]),
        (b'#define A R"(\n)"', [(Problem.OPEN_RAW_STRING, 1, 11)]),
        (b'#define A R"(\\\n)"', []),
        (b'R"a b(c)a b"', [(Problem.RAW_DELIMITER, 1, 1)]),
        (b'R"\\\n(c)"', [(Problem.RAW_DELIMITER, 1, 1)]),
        (b'R"$(c)$"', [(Problem.RAW_DELIMITER, 1, 1)]),
        (b'"a"R"(b)"', [(Problem.AMBIGUOUS, 1, 4)]),
        (b"'a'u8R\"(b)\"", [(Problem.AMBIGUOUS, 1, 4)]),
        (b'R"(a)"LR"(b)"', [(Problem.AMBIGUOUS, 1, 7)]),
        (b'"a"R "b"', []),
        (b'"a"s"b"', []),
    ],
)
def test_what_the_compiler_refuses_or_reads_in_two_ways_is_a_problem(
    source: bytes, expected: list[tuple[Problem, int, int]]
) -> None:
    assert problems(source) == expected


def test_an_open_comment_or_raw_string_takes_the_rest() -> None:
    assert kinds(b"a /* b\nc") == [("identifier", "a"), ("unterminated", "/* b\nc")]
    assert kinds(b'R"(\nb') == [("unterminated", 'R"(\nb')]


def test_in_a_directive_and_with_a_bad_delimiter_it_takes_the_line() -> None:
    assert kinds(b'#a R"(b\nc')[2:] == [("unterminated", 'R"(b'), ("identifier", "c")]
    assert kinds(b'R" (b\nc') == [("unterminated", 'R" (b'), ("identifier", "c")]
    assert kinds(b'#R"(a)" R"(b)" R" c')[1:] == [
        ("raw_string", 'R"(a)"'),
        ("raw_string", 'R"(b)"'),
        ("unterminated", 'R" c'),
    ]


def test_a_source_over_the_limit_is_not_read() -> None:
    read = lex(b"abc", limit_bytes=2)
    assert (read.tokens, read.problems) == ((), (LexProblem(Problem.TOO_LARGE, 0, 0),))
    assert lex(b"abc", limit_bytes=3).problems == ()


def test_reading_stops_at_the_limit_of_tokens() -> None:
    read = lex(b"a b\nc d", limit_tokens=3)
    assert [token.spelling for token in read.tokens] == ["a", "b", "\n"]
    assert read.problems == (LexProblem(Problem.TOO_MANY_TOKENS, 2, 1),)
    assert lex(b"a b c", limit_tokens=3).problems == ()


def test_an_empty_source_has_no_tokens() -> None:
    assert lex(b"").tokens == ()
    assert lex(b"\\\n\\").tokens == ()
    assert lex(b" \t\f\v\0").tokens == ()


def test_lines_are_counted_without_the_empty_rest() -> None:
    assert [lex(one).source.lines for one in (b"", b"a", b"a\n", b"a\r\nb\rc\n\n")] == [0, 1, 1, 4]
    assert lex(b"a\r\nb\rc").source.line(2) == "b"


def test_a_token_is_a_value() -> None:
    assert lex(b" ab").tokens == (
        Token(TokenKind.IDENTIFIER, "ab", 1, 2, 1, 3, first=True, spaced=True),
    )


def test_an_angle_that_does_not_close_on_its_line_is_a_punctuator() -> None:
    source = b"#include <a <b\n#include <c> <d\n"
    assert kinds(source) == [
        *(("hash", "#"), ("identifier", "include")),
        *(("punctuator", "<"), ("identifier", "a"), ("punctuator", "<"), ("identifier", "b")),
        *(("hash", "#"), ("identifier", "include")),
        *(("header", "<c>"), ("punctuator", "<"), ("identifier", "d")),
    ]


def test_angles_that_never_close_are_read_in_linear_time() -> None:
    # Each looked for its end up to that of the line, which took 40 s; now it takes 1.4 s on two busy cores.
    begun = time.perf_counter()
    tokens = lex(b"#include <" * 26_214).tokens
    assert time.perf_counter() - begun < 12
    assert len(tokens) == 3 * 26_214
