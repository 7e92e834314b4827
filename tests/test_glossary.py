"""docs/glossary.md: one meaning for a word, and a meaning for every word that names a thing of ours."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Classes of the core whose name alone does not say what they are.
NAMED = ("Act", "Artifact", "Assumption", "Brief", "Desk", "Evidence", "Kernel", "Mask", "Remark")


def words() -> list[str]:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE)[1:]
    return [word for row in rows for word in row.split(", ")]


def test_a_word_stands_in_the_glossary_once() -> None:
    assert len(words()) == len(set(words()))


def test_names_of_the_code_that_only_we_use_are_explained() -> None:
    ours = {"noise recording", "counter", "slim headers", "workload", "half", "token", "relocation"}
    assert ours | {one.lower() for one in NAMED} <= set(words())


def test_words_of_the_half_with_a_gpu_are_explained() -> None:
    ours = {
        "launcher",
        "referee",
        "session",
        "pair",
        "slope",
        "canary",
        "counted call",
        "pass",
        "reading",
    }
    assert ours | {
        "flush",
        "load",
        "floor",
        "roof",
        "slack",
        "spare",
        "bundle",
        "pack",
        "ledger",
    } <= set(words())
