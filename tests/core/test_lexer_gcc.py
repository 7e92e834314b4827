"""The lexer against the compiler that is its authority: which includes does each of them see?"""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from evaluation.core.source.directives import split
from evaluation.core.source.lexer import Problem, TokenKind, lex
from evaluation.core.source.policy_includes import included

pytestmark = [
    pytest.mark.toolchain,
    pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed"),
]

MARKS = ("mark_a.h", "mark_b.h", "mark_c.h")
A, B = "#include <mark_a.h>\n", "#include <mark_b.h>\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("gcc")
    for name in MARKS:
        (folder / name).write_text("")
    return folder


def seen_by_gcc(folder: Path, source: bytes) -> list[str] | None:
    """Name the headers that g++ opens; None where it refuses the source."""
    (folder / "kernel.cu").write_bytes(source)
    done = subprocess.run(
        ["g++", "-std=c++17", "-M", "-x", "c++", "-I", ".", "kernel.cu"],
        cwd=folder,
        capture_output=True,
        timeout=30,
        check=False,
    )
    if done.returncode:
        return None
    return sorted(set(re.findall(r"mark_\w\.h", done.stdout.decode("utf-8", "replace"))))


def seen_by_us(source: bytes) -> list[str]:
    return sorted(set(included(split(lex(source).tokens))))


# Each source hides mark_a or mark_b, or seems to. What g++ 12.2 sees was written down by hand.
TRICKS = {
    "splice": ("#in\\\nclude <mark\\\n_a.h>\n", ["mark_a.h"]),
    "splice with space": ("#inc\\ \t\f\v\nlude <mark_a.h>\n", ["mark_a.h"]),
    "splice by CR": ("#inc\\\rlude <mark_a.h>\r", ["mark_a.h"]),
    "digraph": ("%:include <mark_a.h>\n", ["mark_a.h"]),
    "trigraph": ("??=include <mark_a.h>\n", []),
    "trigraph splice": ("// ??/\n" + A, ["mark_a.h"]),
    "lone CR": ("// a\r#include <mark_a.h>\rint b;", ["mark_a.h"]),
    "NEL is no line end": ("// a \u0085" + A, []),
    "comment between": ("/**/ # /*\n*/ include /**/ <mark_a.h> //\n", ["mark_a.h"]),
    "not first": ("int a; /*\n*/ " + A, []),
    "after raw string": ('const char* a = R"(\n)"; ' + A, []),
    "in raw string": ('auto a = R"x(\n' + A + ')" \n)x";\n' + B, ["mark_b.h"]),
    "raw string by splice": ('auto a = R\\\n"x(\n' + A + ')x";\n' + B, ["mark_b.h"]),
    "open end by splice": ('auto a = R"x()\\\nx"\n' + A + ')x";\n' + B, ["mark_b.h"]),
    "no raw string": ('auto a = fooR"x(\n' + A + ')x";\n', ["mark_a.h"]),
    "raw behind literal": ('auto a = "a"R"x(\n' + A + ')x";\n', ["mark_a.h"]),
    "raw behind number": ('auto a = 1e+R"x(\n' + A + ')x";\n', ["mark_a.h"]),
    "raw behind sign": ("auto a = 1'e+R\"x(\n" + A + ')x";\n', []),
    "raw behind letter": ('auto a = \u00e9R"x(\n' + A + ')x";\n', ["mark_a.h"]),
    "raw behind backslash": ('auto a = \\R"x(\n' + A + ')x";\n', []),
    "raw behind dollar": ('auto a = $R"x(\n' + A + ')x";\n', ["mark_a.h"]),
    "open quote": ("don't /*\n" + A + "// */\n", ["mark_a.h"]),
    "escaped quote": ('auto a = "\\" /*";\n' + A + "/* */", ["mark_a.h"]),
    "continued comment": ("// \\\n" + A + B, ["mark_b.h"]),
    "open comment in directive": ("#pragma a /*\n" + A + "*/\n" + B, ["mark_b.h"]),
    "name with comment": ("#include <mark_a.h> </*>\n" + B + "/* */\n", ["mark_a.h", "mark_b.h"]),
    "name with escape": ('#include <mark_a.h> "\\" /* "\n' + B + "*/\n", ["mark_a.h"]),
    "probe with comment": ("#if __has_include(<a/*b>)\n#endif\n" + A + "/* */\n", ["mark_a.h"]),
    "in macro arguments": ("#define F(x) x\nF(a\n#define G\n)\n" + A, ["mark_a.h"]),
    "byte order mark": ("\ufeff" + A, ["mark_a.h"]),
    "form feed": ("\f\v #\tinclude\f<mark_a.h>\n", ["mark_a.h"]),
}


@pytest.mark.parametrize("name", TRICKS)
def test_we_see_the_includes_that_gcc_sees(name: str, folder: Path) -> None:
    source, expected = TRICKS[name]
    assert seen_by_gcc(folder, source.encode()) == expected
    assert seen_by_us(source.encode()) == expected


@pytest.mark.parametrize(
    "source",
    [
        '#if 0\nR"(\n#endif\n',
        '#if 0\nR" a(b) a"\n#endif\n',
        '#define A R"(\n)"\n',
        "#if 0\n/*\n#endif\n",
        "int cubl\\u0061s;\n",
        "#!/bin/sh\n",
        '#include u8"mark_a.h"\n',
    ],
)
def test_gcc_refuses_what_the_lexer_does_not_follow(source: str, folder: Path) -> None:
    assert seen_by_gcc(folder, source.encode()) is None


def test_gcc_reads_a_raw_string_behind_a_literal_by_the_macros_before_it(folder: Path) -> None:
    source = b'#define R k\nauto a = "a"R"x(\n#include <mark_a.h>\n)x";\n'
    assert seen_by_gcc(folder, source) == []
    assert [one.problem for one in lex(source).problems] == [Problem.AMBIGUOUS]


def test_an_alias_of_has_include_makes_gcc_see_code_in_what_looks_like_a_comment(
    folder: Path,
) -> None:
    source = b"#define H __has_include\n#if H(<a/*b>)\n#endif\n#include <mark_a.h>\n/* */\n"
    assert seen_by_gcc(folder, source) == ["mark_a.h"]
    assert seen_by_us(source) == []  # which is why the policy holds such a source


PIECES = (
    *('"', "'", "\\", "\n", "\n", "\r\n", "\r", "/*", "*/", "*/", "//", ' R"x(', ')x"', ')x"'),
    *('uR"x(', "u8", "L", "1'", "e+", ".", "%:%:", "(", ")", "<", ">", " ", "\t", "\\\n", "\\ \n"),
    *("\\\r\n", "??/\n", "??=", "$", "\u00e9", "@", "_s", '"a"', "'b'", '\\"', "\\u00e9", "/", "*"),
    *("\n" + A, "\n" + B, '\n#include "mark_c.h"\n', "\n%:include/**/<mark_a.h>//"),
    *("\n#in\\\nclude <mark_\\\nb.h>\n", '\n # /*\n*/ include <mark_c.h> "', "\n#pragma x "),
    *("\n#define X ", "\n#if __has_include(<mark_a.h>)\n#endif\n", "\n" + A[:-1] + " </*>\n"),
)


def test_we_agree_with_gcc_on_random_compositions_that_it_accepts(folder: Path) -> None:
    chance = random.Random(20261130)  # noqa: S311  # the same sources every time
    compared = 0
    for _ in range(150):
        source = "".join(chance.choices(PIECES, k=chance.randint(3, 25))).encode()
        seen = seen_by_gcc(folder, source)
        problems = {one.problem for one in lex(source).problems}
        if seen is None or Problem.AMBIGUOUS in problems:
            continue
        assert seen_by_us(source) == seen, source
        compared += 1
    assert compared > 50


def test_gcc_and_we_agree_where_no_token_is_left(folder: Path) -> None:
    source = b"// a \\\n b\n/* c\n*/\n"
    assert seen_by_gcc(folder, source) == []
    assert {token.kind for token in lex(source).tokens} == {TokenKind.COMMENT, TokenKind.NEWLINE}
