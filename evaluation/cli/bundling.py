"""The commands that look at a bundle: whether it is whole, and what it says."""

import argparse
import sys
from pathlib import Path

from evaluation.adapters.bundle import write_bundle
from evaluation.cli import exit_codes, files
from evaluation.cli.paper import Paper, clean
from evaluation.cli.report import print_reports, print_stage, print_summary
from evaluation.core import wire
from evaluation.core.bundle.bundle import Bundle, unpack
from evaluation.core.bundle.examination import examine
from evaluation.core.bundle.members import LIMIT_BUNDLE_BYTES
from evaluation.core.judgement import Judgement
from evaluation.core.ports import Artifacts
from evaluation.core.quoting import counted
from evaluation.core.verdict import Verdict

_NAME_COLUMNS = 20


def save(file: Path, judgement: Judgement, source: bytes, artifacts: Artifacts) -> None:
    """Write the bundle of a judgement, whatever its verdict. Raise CannotWrite or ToolFailure."""
    try:
        write_bundle(file, judgement, source, artifacts)
    except OSError as error:
        raise files.CannotWrite(f"cannot write {file}: {error.strerror}") from error


def read_bundle(file: str) -> Bundle:
    """A verified bundle of which every document can be read. Raise Unreadable or InvalidInput."""
    content = files.read(file, limit_bytes=LIMIT_BUNDLE_BYTES)
    bundle = unpack(content, where=files.called(file))
    examine(bundle)
    return bundle


def show_bundle(options: argparse.Namespace) -> int:
    """The commands ``bundle verify`` and ``bundle show``; InvalidInput says why a bundle is none."""
    bundle = read_bundle(options.file)
    if options.json:
        document = bundle.manifest if options.verb == "verify" else bundle.judgement
        sys.stdout.write(f"{wire.encode(document).decode()}\n")
        return exit_codes.OK
    paper = Paper()
    if options.verb == "show":
        print_title(paper, bundle)
        _print_judgement(paper, bundle.judgement)
        _print_files(paper, bundle)
    listed = bundle.manifest.files
    size = f"{sum(one.size for one in listed):,} bytes"
    verified = f"verified: {counted(len(listed), 'file')} with {size} in all, each with the hash that is stated"
    paper.wrapped(verified, indent="  ")
    return exit_codes.OK


def print_title(paper: Paper, bundle: Bundle) -> None:
    judged = bundle.judgement
    name = paper.style(clean(bundle.where), "bold")
    text = f"{judged.problem} on {judged.target} ({judged.device}), by judge {judged.judge}"
    paper.wrapped(text, indent="  ", first=f"{name}  ")
    paper.line()


def _print_judgement(paper: Paper, judged: Judgement) -> None:
    for report in judged.reports:
        word = "ok" if report.verdict in {None, Verdict.ACCEPTED} else "no"
        print_stage(paper, report.stage, word, report.seconds, report.headline)
    for one in judged.missing:
        print_stage(paper, one.stage, "-", None, one.why)
    print_reports(paper, judged.reports)
    print_summary(paper, judged, None)


def _print_files(paper: Paper, bundle: Bundle) -> None:
    paper.line()
    for one in bundle.manifest.files:
        paper.line(f"  {one.name:<{_NAME_COLUMNS}} {one.size:>12,}  {one.sha256}")
    paper.line()
