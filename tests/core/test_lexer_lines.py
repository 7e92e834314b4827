from evaluation.core.source.directives import macros, name_of, split, text
from evaluation.core.source.lexer import lex
from evaluation.core.source.literals import named_texts, texts, value


def test_lines_know_their_directive_operands_and_branch() -> None:
    source = b"""a b // c
# /**/ if X
  # define Y \\
      1
#ifdef Z
#else
q
#endif
#endif
#endif
#
# 12
last"""
    assert [
        (one.directive, [token.spelling for token in one.operands], one.conditional)
        for one in split(lex(source).tokens)
    ] == [
        (None, ["a", "b"], False),
        ("if", ["X"], False),
        ("define", ["Y", "1"], True),
        ("ifdef", ["Z"], True),
        ("else", [], True),
        (None, ["q"], True),
        ("endif", [], True),
        ("endif", [], True),
        ("endif", [], False),
        ("", [], False),
        ("", ["12"], False),
        (None, ["last"], False),
    ]


def test_only_the_first_branch_of_an_if_0_is_dead() -> None:
    source = b"""#if 0
a
#if 1
b
#endif
c
#elif 1
d
#else
e
#endif
f
#if 0
#ifdef X
#else
g
#endif
#elifdef Y
h
#endif
#elif
#if (0)
i
"""
    lines = split(lex(source).tokens)
    assert [one.tokens[0].spelling for one in lines if one.directive is None and one.dead] == [
        *("a", "b", "c", "g")
    ]
    assert [one.tokens[0].spelling for one in lines if one.directive is None and not one.dead] == [
        *("d", "e", "f", "h", "i")
    ]


def test_text_is_what_stands_outside_directives() -> None:
    lines = split(lex(b"a\n#define b\nc d").tokens)
    assert [token.spelling for token in text(lines)] == ["a", "c", "d"]


def test_macros_have_parameters_only_where_the_bracket_follows_at_once() -> None:
    source = b"""#define A (x)
#define B(x, y) x y
#define C() 1
#define D(x, ...) x
#define E\\
(z) z
#define F(open
#define G
#define
#define 1
#undef H"""
    assert [
        (one.name.spelling, one.parameters, [token.spelling for token in one.body])
        for one in macros(split(lex(source).tokens))
    ] == [
        ("A", None, ["(", "x", ")"]),
        ("B", ("x", "y"), ["x", "y"]),
        ("C", (), ["1"]),
        ("D", ("x", "__VA_ARGS__"), ["x"]),
        ("E", ("z",), ["z"]),
        ("F", ("open",), []),
        ("G", None, []),
    ]


def test_a_name_is_spelled_with_its_universal_characters() -> None:
    tokens = lex(b"cubl\\u0061s \\U0000006Dmap \\UFFFFFFFFa plain").tokens
    assert [name_of(token) for token in tokens] == ["cublas", "mmap", "\\UFFFFFFFFa", "plain"]


def test_a_literal_says_what_the_compiler_stores() -> None:
    source = rb"""
    "a\x41\102\u0043\U00000044\n\e\q\\" L"\?" u8"x"_suffix "\UFFFFFFFF" "\x100000041"
    R"(\n)" uR"x(")")x" """
    assert [value(token) for token in lex(source).tokens if token.spelling != "\n"] == [
        *("aABCD\n\x1bq\\", "?", "x", "\ufffd", "A"),
        *("\\n", '")"'),
    ]


def test_neighbouring_literals_and_macros_of_literals_are_joined() -> None:
    source = b"""#define HEAD "lib"
#define BOTH HEAD "x"
#define CALL(a) "y"
#define LONG "0123456789012345678901234567890123456789012345678901234567890123456789"
f("a" /**/ L"b"
  "c", BOTH "z", x "d"); BOTH"""
    lines = split(lex(source).tokens)
    known = named_texts(macros(lines))
    assert known == {"HEAD": "lib", "BOTH": "libx"}
    assert [(one.value, one.token.line, one.index) for one in texts(text(lines), known)] == [
        ("abc", 5, 2),
        ("libxz", 6, 6),
        ("d", 6, 10),
        ("libx", 6, 13),
    ]


def test_macros_that_name_each_other_are_no_text() -> None:
    defined = macros(split(lex(b'#define A B\n#define B A\n#define C "c" D\n').tokens))
    assert named_texts(defined) == {}


def test_macros_of_macros_are_followed_eight_deep() -> None:
    chain = "".join(f"#define M{n} M{n - 1}\n" for n in range(1, 10))
    defined = macros(split(lex(f'#define M0 "x"\n{chain}'.encode()).tokens))
    assert sorted(named_texts(defined)) == [f"M{n}" for n in range(8)]
