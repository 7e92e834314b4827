"""What an import of published values says to the person who started it: a short table, and what differs."""

from collections.abc import Iterator

from evaluation.core.quoting import counted
from evaluation.services.paper import PaperChanges
from portal.uploads.importers.published.published_records import Difference, PaperRun, Publication


def lines(publication: Publication, changes: PaperChanges) -> Iterator[str]:
    yield publication.source
    yield ""
    yield from _runs(publication)
    yield ""
    yield _changed(changes)
    if publication.differences:
        yield "Imported as published, though the publication's own turns give something else:"
        yield from (f"  {_difference(one)}" for one in publication.differences)
    if publication.problems:
        yield "Not understood or not known:"
        yield from (f"  {sentence}" for sentence in publication.problems)


def _runs(publication: Publication) -> Iterator[str]:
    yield f"{'model':<24}{'device':<8}{'shown':>6}{'kept':>6}{'left out':>10}"
    for model in publication.models:
        own = [run for run in publication.runs if run.model == model.name]
        for device in sorted({run.device for run in own}):
            yield _row(model.name, device, [run for run in own if run.device == device])
    yield _row("all", "", list(publication.runs))
    yield "Runs. Shown: the main one of a model and problem. Left out: of a problem that is none of ours."


def _row(model: str, device: str, runs: list[PaperRun]) -> str:
    shown = sum(run.main and bool(run.problem) for run in runs)
    left_out = sum(not run.problem for run in runs)
    kept = len(runs) - shown - left_out
    return f"{model:<24}{device:<8}{shown:>6}{kept:>6}{left_out:>10}"


def _changed(changes: PaperChanges) -> str:
    if changes.nothing:
        return f"Nothing changed: all {counted(changes.kept, 'value')} were here already."
    return (
        f"Added {counted(changes.added, 'value')}, {counted(changes.models, 'model')} and "
        f"{counted(changes.aliases, 'name')} of models; removed {counted(changes.removed, 'value')}; "
        f"{counted(changes.kept, 'value')} were here already."
    )


def _difference(one: Difference) -> str:
    return (
        f"{one.key.experiment}: {one.metric} at turn limit {one.turn_limit}: "
        f"published {_number(one.published)}, its turns give {_number(one.counted)}"
    )


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:g}"
