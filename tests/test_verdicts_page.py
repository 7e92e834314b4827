"""docs/verdicts.md against the code: every verdict, rule, signal, call and exit code has its place, and nothing else."""

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from evaluation.cli import exit_codes
from evaluation.core.binary.shim_names import SHIM_NAMES
from evaluation.core.compile.build import FailureKind
from evaluation.core.source.policy_rules import RULES, SIGNALS
from evaluation.core.verdict import Stage, Verdict

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "verdicts.md"
CORE = ROOT / "evaluation" / "core"
REFUSED = ROOT / "evaluation" / "native" / "shim" / "refused_names.inc"
GOLDEN = ROOT / "tests" / "golden"

# Where the rules and signals of each package, or of a module beside them, are said. One that says something and stands in
# no row fails the tests below.
STAGES = {
    "source": Stage.POLICY,
    "compile": Stage.BUILD,
    "binary": Stage.BUILD,
    "pipeline": Stage.BUILD,
    "record": Stage.RECORD,
    "plan": Stage.RECORD,
    "scan": Stage.SCAN,
    "check": Stage.CHECK,
    "measure": Stage.CHECK,
    "probe": Stage.PROBE,
    "timing": Stage.TIME,
}
# Functions of the code that make a signal or a remark, and where the kind or the rule stands among their arguments.
SIGNAL_MAKERS = ("Signal", "_signal", "signal", "_note", "ImportHint")
RULE_PLACES = {"Remark": 0, "_end": 2}
RULE_WORD = re.compile(r"[A-Z]{1,3}\d{0,2}|[a-z][a-z_.]+")

# Rules that no small file of a candidate breaks; tests of their own stages hold them.
NO_CASE = {
    "source-size": "a file of 256 KiB",
    "source-tokens": "a file of 100,000 tokens",
    "source-language": "a Triton source",
    "export-missing": "advice; entry_missing decides",
    "build_source_too_large": "the policy's limit is lower",
    "build_crash": "no source is known that the pinned compiler crashes on",
    "build_memory": "a file that takes all memory of a build; tests/adversarial has it with a small limit",
    "needed_library": "no source can ask the linker for a library",
    "library_path": "no source can ask the linker for a path",
    "exported_name": "the version script hides what a source exports",
    "link_flags": "no source is known that undoes the linker's flags",
    "more": "says how many remarks were left out",
    "scan.unreadable": "no source is known that nvdisasm cannot read",
    "L3": "the compared pair differs first",
    "R4": "the recorder names such a kernel first, by L10",
    "R9": "variable_size speaks first",
    # Of the stages with a GPU: tests/golden/measured has the cases, and each test that runs them needs one.
    "C2": "takes a GPU",
    "C3": "takes a GPU",
    "C4": "takes a GPU",
    "C5": "takes a GPU",
    "C8": "takes a GPU",
    "S11": "takes a GPU",
    "launch_failed": "takes a GPU",
    "T2": "takes a GPU",
    "T6": "takes a GPU that is lost",
}


@dataclass(frozen=True)
class Said:
    """A signal as the code says it. ``sentence`` is empty where it is put together at run time."""

    severity: str
    sentence: str


def _rows(heading: str) -> list[list[str]]:
    """The cells of all table rows under one heading of the page, without the head of the table."""
    lines = PAGE.read_text().split("\n")
    start = lines.index(heading) + 1
    level = heading.split(" ", maxsplit=1)[0]
    rows = []
    for line in lines[start:]:
        if line.startswith("#") and len(line.split(" ", maxsplit=1)[0]) <= len(level):
            break
        if line.startswith("| ") and not line.startswith("|---"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    assert rows, heading
    return rows[1:]


def _word(cell: str) -> str:
    return cell.strip().strip("`")


def _text(node: ast.AST | None) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


@cache
def _calls() -> tuple[tuple[str, ast.Call, dict[str, str]], ...]:
    """Every call of the core's modules, with the last plain text that each name was given before it."""
    found = []
    for path in sorted(CORE.rglob("*.py")):
        names: dict[str, str] = {}
        for node in sorted(_walk(path), key=lambda one: (one.lineno, one.col_offset)):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                names[node.targets[0].id] = _text(node.value)
            elif isinstance(node, ast.Call):
                found.append(
                    (path.relative_to(CORE).parts[0].removesuffix(".py"), node, dict(names))
                )
    return tuple(found)


def _walk(path: Path) -> Iterator[ast.stmt | ast.expr]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.stmt | ast.expr):
            yield node


def _stage(module: str) -> Stage:
    return STAGES[module]


def _signals() -> dict[tuple[Stage, str], Said]:
    found = {(Stage.POLICY, one.kind): Said(str(one.severity), one.sentence) for one in SIGNALS}
    for module, call, names in _calls():
        keywords = {one.arg: one.value for one in call.keywords}
        kind = _text(keywords.get("kind") or next(iter(call.args), None))
        if _called(call) in SIGNAL_MAKERS and kind:
            words = [*call.args[1:], *keywords.values()]
            found[_stage(module), kind] = Said(_severity(call), _sentence(words, names))
    return found


def _severity(call: ast.Call) -> str:
    """A maker without a severity of its own makes a note; one by a name may make either."""
    if "severity" in {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}:
        return "note or hold"
    holds = [one for one in ast.walk(call) if isinstance(one, ast.Attribute) and one.attr == "HOLD"]
    return "hold" if holds else "note"


def _sentence(words: list[ast.expr], names: dict[str, str]) -> str:
    given = [
        _text(one) or (names.get(one.id, "") if isinstance(one, ast.Name) else "") for one in words
    ]
    return next((one for one in given if one.endswith(".")), "")


def _rules() -> dict[Stage, set[str]]:
    found: dict[Stage, set[str]] = {stage: set() for stage in Stage}
    found[Stage.POLICY] = {rule for rule, _ in RULES}
    found[Stage.BUILD] = {f"build_{kind}" for kind in FailureKind}
    for module, call, names in _calls():
        if module == "source" or _called(call) == "InvalidInput":
            continue
        place = RULE_PLACES.get(_called(call), len(call.args))
        keyword = next((one.value for one in call.keywords if one.arg == "rule"), None)
        node = keyword or (call.args[place] if place < len(call.args) else None)
        rule = _text(node) or (names.get(node.id, "") if isinstance(node, ast.Name) else "")
        if RULE_WORD.fullmatch(rule):
            found[_stage(module)].add(rule)
    for stage, rule in _either_rule():
        found[stage].add(rule)
    return {stage: rules for stage, rules in found.items() if rules}


def _either_rule() -> Iterator[tuple[Stage, str]]:
    """Rules that the code chooses from in place: ``rule = "C3" if ... else "launch_failed"``."""
    for path in sorted(CORE.rglob("*.py")):
        module = path.relative_to(CORE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.IfExp):
                continue
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == "rule":
                for word in (_text(node.value.body), _text(node.value.orelse)):
                    if RULE_WORD.fullmatch(word):
                        yield _stage(module), word


def _names(cell: str) -> list[str]:
    return [_word(one) for one in cell.split(",")]


def _written(name: str) -> str:
    """A driver function as authors write it: headers map the name to a symbol with a version."""
    return re.sub(r"_v\d+$", "", name)


def _cases() -> list[dict[str, object]]:
    files = [*GOLDEN.glob("refusals/*/case.toml"), *GOLDEN.glob("cheats/*/case.toml")]
    return [tomllib.loads(one.read_text())["expect"] for one in files]


def test_every_verdict_has_a_section_and_no_section_is_of_another() -> None:
    sections = re.findall(r"^### `(\w+)`$", PAGE.read_text(), re.MULTILINE)
    assert sections == [str(one) for one in Verdict]


def test_the_table_of_verdicts_names_each_with_its_exit_code() -> None:
    told = {_word(row[0]): int(row[1]) for row in _rows("## The verdicts")}
    assert told == {str(one): code for one, code in exit_codes.BY_VERDICT.items()}


def test_the_table_of_verdicts_names_stages_that_exist() -> None:
    for row in _rows("## The verdicts"):
        assert {_word(one) for one in row[2].split(",")} <= {str(one) for one in Stage}


def test_every_exit_code_is_on_the_page() -> None:
    told = {int(row[0]) for row in _rows("## Exit codes")}
    known = {value for value in vars(exit_codes).values() if isinstance(value, int)}
    assert told == known | set(exit_codes.BY_VERDICT.values())


def test_every_rule_stands_under_its_stage_and_no_other_does() -> None:
    for stage, rules in _rules().items():
        told = [_word(row[0]) for row in _rows(f"### Rules of {stage}")]
        assert sorted(told) == sorted(rules), stage


def test_the_rules_of_policy_stand_in_the_words_of_the_code() -> None:
    assert {_word(row[0]): row[1] for row in _rows("### Rules of policy")} == dict(RULES)


def test_sections_of_verdicts_name_only_rules_that_exist() -> None:
    known = {rule for rules in _rules().values() for rule in rules}
    named = re.findall(r"\(rules? ([^)]+)\)", PAGE.read_text())
    assert named
    for one in named:
        assert set(_names(one)) <= known, one


def test_every_signal_stands_under_its_stage_with_its_severity_and_no_other_does() -> None:
    told = {
        (stage, _word(row[0])): row[1]
        for stage in {stage for stage, _ in _signals()}
        for row in _rows(f"### Signals of {stage}")
    }
    assert told == {key: said.severity for key, said in _signals().items()}


def test_signals_with_a_fixed_sentence_stand_in_the_words_of_the_code() -> None:
    for (stage, kind), said in _signals().items():
        told = {_word(row[0]): row[2] for row in _rows(f"### Signals of {stage}")}
        assert said.sentence in {"", told[kind]}, kind


def test_every_call_that_the_recorder_answers_is_on_the_page_and_none_that_it_refuses() -> None:
    named = set(re.findall(r"REFUSED_NAME\((\w+)\)", REFUSED.read_text()))
    answered = {_written(one) for one in SHIM_NAMES - named if one.startswith("cu")}
    told = [name for row in _rows("### Calls that are recorded") for name in _names(row[1])]
    refused = [name for row in _rows("### Calls that are refused") for name in _names(row[1])]
    # A call that the recorder defines only to say why it refuses it stands on the page without a star.
    assert sorted(told) == sorted(answered - set(refused))
    for pattern in (one for one in refused if "*" in one):
        assert [one for one in named if fnmatchcase(one, pattern)], pattern
        assert not [one for one in told if fnmatchcase(one, pattern)], pattern
    assert {one for one in refused if "*" not in one} <= SHIM_NAMES | answered


def test_every_verdict_that_needs_no_gpu_has_a_golden_case() -> None:
    earned = {case.get("verdict") for case in _cases()}
    later = {Verdict.ACCEPTED, Verdict.WRONG_RESULT, Verdict.MEMORY_FAULT}
    assert earned - {None} == {str(one) for one in set(Verdict) - later}


def test_every_rule_has_a_golden_case_or_a_reason_to_have_none() -> None:
    earned = {case["rule"] for case in _cases() if "rule" in case}
    known = {rule for rules in _rules().values() for rule in rules}
    assert known - earned == set(NO_CASE)
    assert earned <= known
