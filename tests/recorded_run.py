"""The records of real runs (fixtures/h200/README.md), read for tests that judge them again."""

import tomllib
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.core import wire
from evaluation.core.catalogue.problem import Problem
from evaluation.core.measure.seen import CheckSeen, MeasureSeen
from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "fixtures" / "h200"


def problem_of(case: str) -> Problem:
    (stated,) = (ROOT / "tests" / "golden").glob(f"*/{case}/case.toml")
    return packaged().problem(tomllib.loads(stated.read_text(encoding="utf-8"))["problem"])


def checked(case: str) -> CheckSeen:
    content = (FOLDER / case / "check_seen.json").read_bytes()
    return wire.decode(CheckSeen, content, where=case)


def measured(case: str, record: str = "measure_seen") -> MeasureSeen:
    content = (FOLDER / case / f"{record}.json").read_bytes()
    return wire.decode(MeasureSeen, content, where=case)


def facts(report: StageReport) -> dict[str, str | int]:
    return {fact.name: fact.value for fact in report.facts}


def holds(report: StageReport) -> list[str]:
    return [one.kind for one in report.signals if one.severity is Severity.HOLD]
