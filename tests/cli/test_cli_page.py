"""docs/cli.md says everything that a program which drives the command line has to know, and nothing else."""

import argparse
import re
from dataclasses import fields
from pathlib import Path

import pytest

from evaluation.adapters.doctor import Check
from evaluation.cli import exit_codes
from evaluation.cli.arguments import parser
from evaluation.core.judgement import Instruction, Judgement, Missing, Speed
from evaluation.core.records import ArtifactRef, Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import (
    Correct,
    FamilyExecuted,
    Integrity,
    Lane,
    MatrixPath,
    Severity,
    Stage,
    Verdict,
)

PAGE = (Path(__file__).parents[2] / "docs/cli.md").read_text()


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def quoted(text: str) -> set[str]:
    """Every word in backticks."""
    return set(re.findall(r"`([^`]+)`", text))


def first_cells(text: str) -> list[str]:
    return [row.split("|")[1].strip() for row in text.splitlines() if row.startswith("| ")]


def test_every_exit_code_has_its_row_and_no_row_is_of_another() -> None:
    constants = {value for value in vars(exit_codes).values() if isinstance(value, int)}
    rows = [int(one) for one in first_cells(section("Exit codes")) if one.isdigit()]
    assert len(rows) == len(set(rows))
    assert set(rows) == constants | set(exit_codes.BY_VERDICT.values())


@pytest.mark.parametrize("verdict", [one for one in Verdict if one is not Verdict.ACCEPTED])
def test_the_row_of_a_verdict_s_exit_code_names_it(verdict: Verdict) -> None:
    assert f"| {exit_codes.of_verdict(verdict)} | {verdict} |" in PAGE


@pytest.mark.parametrize(
    "record",
    [
        Judgement,
        Instruction,
        Speed,
        StageReport,
        Remark,
        Signal,
        Fact,
        ArtifactRef,
        Missing,
        Check,
    ],
)
def test_every_key_of_the_documents_is_described(record: type) -> None:
    assert {one.name for one in fields(record)} <= quoted(section("JSON"))


@pytest.mark.parametrize(
    "words", [Correct, FamilyExecuted, Integrity, Lane, MatrixPath, Severity, Stage]
)
def test_every_word_that_a_document_may_hold_is_listed(words: type[Correct]) -> None:
    assert {str(one) for one in words} <= quoted(section("JSON"))


def test_the_first_column_of_the_json_tables_holds_keys_alone() -> None:
    keys = {one.name for record in (Judgement, StageReport) for one in fields(record)}
    cells = [one for one in first_cells(section("JSON")) if one != "key"]
    assert quoted(" ".join(cells)) == keys


def test_every_command_and_option_is_on_the_page() -> None:
    before = PAGE.partition("\n## ")[0]
    for word in _words(parser()):
        assert word in before


def _words(command: argparse.ArgumentParser) -> set[str]:
    found: set[str] = set()
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                found |= {name} | _words(below)
        elif isinstance(action, argparse._StoreAction | argparse._StoreTrueAction):
            found |= {one for one in action.option_strings if one.startswith("--")}
    return found
