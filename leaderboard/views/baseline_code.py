"""The code of the vendor's call that a problem is timed against, as the judge has it."""

import ast
from pathlib import Path

from evaluation.core.catalogue.problem import Baseline

WHERE = Path("evaluation/adapters/referee/vendor.py")
_DEFINITIONS = {
    Baseline.CUBLAS_MATMUL: ("Matmul",),
    Baseline.CUDNN_SDPA_FORWARD: ("Forward", "attention_scale"),
    Baseline.CUDNN_SDPA_BACKWARD: ("Backward", "Forward", "attention_scale"),
}


def baseline_code(baseline: Baseline, root: Path) -> str:
    """Its definitions in Python, from the file WHERE below the checkout ``root``."""
    text = (root / WHERE).read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {
        node.name: "\n".join(lines[_first_line(node) - 1 : node.end_lineno])
        for node in ast.parse(text).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    return "\n\n\n".join(found[name] for name in _DEFINITIONS[baseline])


def _first_line(node: ast.ClassDef | ast.FunctionDef) -> int:
    """Where it begins, with what decorates it."""
    return min([node.lineno, *(one.lineno for one in node.decorator_list)])
