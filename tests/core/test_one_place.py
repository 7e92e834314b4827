"""What several modules must agree on is written in one of them."""

import re
from collections import Counter
from pathlib import Path

import pytest

EVALUATION = Path(__file__).parents[2] / "evaluation"


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (r"libptxboard_shim\.so", "core/library_names.py"),
        (r"__tvm_ffi_run", "core/library_names.py"),
        (r"\b16 \* 1024 \* 1024\b|\b2\*\*24\b|1 << 24\b", "core/plan/plan_limits.py"),
        (r"\b24 \* (2\*\*30|1024\*\*3|1024 \* 1024 \* 1024)\b", "core/catalogue/device.py"),
        (r"\"family_static\"", "core/scan/scan_report.py"),
        (r"NonPortableClusterSizeAllowed\"", "core/catalogue/function_attributes.py"),
    ],
)
def test_a_name_or_bound_is_written_in_one_module(written: str, place: str) -> None:
    found = [
        str(path.relative_to(EVALUATION))
        for path in sorted(EVALUATION.rglob("*.py"))
        if re.search(written, path.read_text(encoding="utf-8"))
    ]
    assert found == [place]


def test_sizes_among_the_facts_of_a_report_have_one_unit() -> None:
    text = _text(EVALUATION)
    units = re.findall(r"\bFact\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*, \"(\w+)\",?\s*\)", text)
    assert set(units) == {"bytes"}
    assert len(units) > 8


# Read by no module of ours: what argparse says.
FOR_OTHERS = {"USAGE"}


def test_every_constant_of_a_module_has_a_reader() -> None:
    text = _text(EVALUATION)
    readers = [_text(EVALUATION.parent / name) for name in ("portal", "leaderboard")]
    words = Counter(re.findall(r"\w+", "\n".join((text, *readers))))
    defined = set(re.findall(r"^([A-Z_][A-Z0-9_]+)(?:: [^=\n]+)? = ", text, re.MULTILINE))
    assert len(defined) > 100
    assert {name for name in defined if words[name] == 1} == FOR_OTHERS


def _text(package: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py")))
