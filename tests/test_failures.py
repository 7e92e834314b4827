"""Every failure of ours tells the operator what to do about it (docs/CONTRIBUTING.md: what happened, where, what to do)."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "evaluation"
FAILURES = {"ToolFailure", "CannotJail", "ToolMissing"}


def without_action(text: str) -> list[int]:
    """Lines that make a failure of ours without the word ``action``."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in FAILURES
        and "action" not in {keyword.arg for keyword in call.keywords}
    ]


def test_a_failure_without_an_action_is_found() -> None:
    told = 'ToolFailure("no disk", action="buy one")'

    assert without_action(f"{told}\nCannotJail(\n  'no jail'\n)\n") == [2]


def test_every_failure_of_ours_says_what_to_do() -> None:
    silent = {str(path): without_action(path.read_text()) for path in PACKAGE.rglob("*.py")}

    assert len(silent) > 100
    assert {path: lines for path, lines in silent.items() if lines} == {}
