"""The command replay: a bundle's kernel is measured again on this machine, and what differs is printed."""

import argparse
import hashlib
import sys
from contextlib import closing

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.lab import Lab
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.asking import problem_of
from evaluation.cli.bundling import print_title, read_bundle
from evaluation.cli.judging import OpenLab, OpenTools
from evaluation.cli.paper import Paper, clean
from evaluation.cli.report import print_reports
from evaluation.cli.watching import Watch
from evaluation.core import wire
from evaluation.core.bundle.bundle import Bundle
from evaluation.core.bundle.comparison import Comparison, Row
from evaluation.core.bundle.members import SEEN_BYTES
from evaluation.core.bundle.replay import (
    Replayed,
    compared,
    judged_again,
    parts_to_measure,
    prepared_again,
    rebuilt,
)
from evaluation.core.compile.build import Built
from evaluation.core.measure.seen import MeasureSeen
from evaluation.core.records import Outcome, StageReport

_NAME_COLUMNS = 19
_MARKS = {True: ("same", "good"), False: ("differs", "bad"), None: ("", "dim")}
_MARK_COLUMNS = 9
_MOST_COLUMNS = 40  # a hash is cut; --json has all of it


def replay(
    options: argparse.Namespace, workspace: Workspace, open_lab: OpenLab, open_tools: OpenTools
) -> int:
    """Verify, measure, compare. Raise InvalidInput for what may not be launched, ToolMissing without a GPU for it."""
    paper = Paper(sys.stderr if options.json else sys.stdout)
    bundle = read_bundle(options.file)
    judged = bundle.judgement
    problem = problem_of(judged.problem, where=bundle.where)
    device = packaged().device(judged.device)
    parts = parts_to_measure(bundle)
    if not options.json:
        print_title(paper, bundle)
    with open_lab(workspace, device.product, options.gpu) as lab:
        prepared = prepared_again(
            bundle,
            parts,
            lab.inspector.cubin(bundle.content(parts.cubin)),
            problem=problem,
            device=device,
        )
        watch = Watch(paper, lab.tools.artifacts, quiet=options.json)
        with closing(lab.stages(prepared, parts, watch.begin)) as stages:
            reports = tuple(watch.over(stages))
        verdict = Outcome(reports).verdict
        again = judged_again(bundle, reports, exit_codes.of_verdict(verdict))
        comparison = compared(bundle, again, lab.measurer.device, _measured(reports, lab))
    if options.rebuild:
        rows = _rebuilt(bundle, open_tools, workspace)
        comparison = Comparison((*comparison.rows, *rows))
    if options.json:
        document = Replayed(judged.source_sha256, comparison.agrees, comparison.rows, again)
        sys.stdout.write(f"{wire.encode(document).decode()}\n")
    else:
        print_reports(paper, reports)
        _print_rows(paper, comparison)
    return exit_codes.OK if comparison.agrees else exit_codes.DIFFERS


def _measured(reports: tuple[StageReport, ...], lab: Lab) -> MeasureSeen | None:
    for ref in Outcome(reports).artifacts:
        if ref.name == "measure_seen":
            content = lab.tools.artifacts.get(ref.sha256, limit_bytes=SEEN_BYTES)
            return wire.decode(MeasureSeen, content, where=ref.name, limit_bytes=SEEN_BYTES)
    return None


def _rebuilt(bundle: Bundle, open_tools: OpenTools, workspace: Workspace) -> tuple[Row, ...]:
    tools = open_tools(workspace, cached=False)
    program = tools.compiler.build(bundle.source, bundle.judgement.target)
    sha256 = hashlib.sha256(program.cubin).hexdigest() if isinstance(program, Built) else ""
    return rebuilt(bundle, sha256, tools.toolchain)


def _print_rows(paper: Paper, comparison: Comparison) -> None:
    paper.line()
    columns = max(len(_cell(row.before)) for row in comparison.rows)
    head = f"  {'':<{_NAME_COLUMNS}}{'':<{_MARK_COLUMNS}}{'bundle':<{columns}}  now"
    paper.line(paper.style(head, "dim"))
    for row in comparison.rows:
        word, style = _MARKS[row.agrees]
        name = f"  {row.what:<{_NAME_COLUMNS}}"
        mark = paper.style(word.ljust(_MARK_COLUMNS), style)
        paper.line(f"{name}{mark}{_cell(row.before):<{columns}}  {_cell(row.after)}")
    paper.line()
    verdict = "the findings agree" if comparison.agrees else "the findings differ"
    paper.line(f"  {paper.style(verdict, 'bold')}")


def _cell(text: str) -> str:
    shown = clean(text)
    return shown if len(shown) <= _MOST_COLUMNS else f"{shown[: _MOST_COLUMNS - 1]}…"
