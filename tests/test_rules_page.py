"""docs/rules.md against the code: a rule that a module or a page names has its sentence, and no page outside is named."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
RULE = re.compile(r"\b[TRLICS](?:[1-9]|1[0-5])\b")
SUFFIXES = {".py", ".cpp", ".cu", ".cuh", ".h", ".inc", ".md", ".toml", ".json"}


def table() -> dict[str, str]:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| ([A-Z]\d+) \| (.+) \|$", page, re.MULTILINE))


def texts(*folders: str) -> dict[str, str]:
    files = (path for one in folders for path in sorted((ROOT / one).rglob("*")))
    return {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in files
        if path.suffix in SUFFIXES
    }


def test_every_rule_that_is_named_has_a_sentence() -> None:
    named = {
        rule: place
        for place, text in texts("evaluation", "docs").items()
        for rule in RULE.findall(text)
    }
    assert {rule: place for rule, place in named.items() if rule not in table()} == {}
    assert len(named) > 30


def test_every_rule_of_the_table_is_named_somewhere_else() -> None:
    everything = texts("evaluation", "docs")
    del everything["docs/rules.md"]
    named = set(RULE.findall("\n".join(everything.values()))) | ranges(everything)
    assert set(table()) - named == set()


def ranges(everything: dict[str, str]) -> set[str]:
    """Rules inside a range such as ``L1 to L14``."""
    return {
        f"{letter}{number}"
        for text in everything.values()
        for letter, low, high in re.findall(r"\b([TRLICS])(\d+) to \1(\d+)\b", text)
        for number in range(int(low), int(high) + 1)
    }


def test_every_sentence_is_one_plain_sentence() -> None:
    for sentence in table().values():
        assert re.fullmatch(r"[A-Z][^.]*\.", sentence), sentence


def test_no_page_is_named_that_is_not_here() -> None:
    pages = {path.name for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))}
    named = {
        (place, page)
        for place, text in texts("evaluation", "docs", "tests").items()
        for page in re.findall(r"\b(?:judge(?:-rules)?|architecture|style)\.md\b", text)
        if page not in pages and place != "tests/test_rules_page.py"
    }
    assert named == set()
