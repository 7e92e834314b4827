"""Puts the sample kernels on the boards by the same services as an upload, with reports that were made before."""

import secrets
from datetime import datetime, timedelta
from itertools import groupby

from django.db import transaction

from evaluation import queues
from evaluation.adapters.catalogue import packaged
from evaluation.core.entry_words import Authorship, Track, Visibility
from evaluation.core.entry_words import Ending as TrajectoryEnding
from evaluation.core.ports import Artifacts
from evaluation.core.records import Outcome
from evaluation.core.run_words import Half
from evaluation.core.verdict import Language
from evaluation.models import Entry, Run
from evaluation.services import (
    Ending,
    NewEntry,
    NewTrajectory,
    NewTurn,
    Told,
    add_entry,
    add_model,
    add_trajectory,
    create_attempt,
    key_digest,
    report_end,
    report_stage,
    request_runs,
    withdraw,
)
from portal.quickstart.sample_files import Sample, SampleSet

MODEL, NAME = "ptxboard-samples", "PTXBoard samples"
TURNS = 8  # of the paper's layout, so that the samples stand beside its values
REPLACED = "Replaced by the sample data of another release."

_OWNERS = "samples-"


def is_loaded(digest: str) -> bool:
    return Entry.objects.filter(owner=owner_of(digest), digest=digest).exists()


def owner_of(digest: str) -> str:
    """Whom the samples belong to: no account, and another one for each set, so that no run of an older set counts."""
    return f"{_OWNERS}{digest[:16]}"


def said_of(found: SampleSet) -> str:
    """What pages show of the entry where others have their harness."""
    day = found.measured_at.date().isoformat()
    return f"sample data, each kernel measured on one {found.gpu} on {day}"


def load_samples(store: Artifacts, found: SampleSet, *, at: datetime) -> tuple[int, ...]:
    """Store the samples whole, or nothing of them, and withdraw older ones; give the keys of all these entries.

    Their rows have the time at which the first of them was measured, and its attempts and reports the kernel's own. A
    kernel that somebody else has had judged in public rests on that run.
    """
    for sample in found.samples:
        for name, content in sample.artifacts.items():
            store.put(name, content)
    with transaction.atomic():
        add_model(MODEL, NAME, Track.HUMAN, accepted_at=found.measured_at)
        # First, so that the new entry cannot rest on what the older one has shown.
        older = _withdraw_older(at)
        entry = add_entry(_entry(found), at=found.measured_at).entry
        for _, several in groupby(found.samples, key=lambda one: one.problem):
            new = _trajectory(tuple(several), found.product)
            add_trajectory(store, entry, new, at=found.measured_at)
        for run in request_runs(entry, judge=found.judge, at=found.measured_at).new:
            _judge(store, run, _sample_of(run, found), found)
    return (*older, entry.pk)


def _withdraw_older(at: datetime) -> list[int]:
    older = Entry.objects.filter(owner__startswith=_OWNERS, model__slug=MODEL, withdrawn_at=None)
    several = list(older)
    for entry in several:
        withdraw(entry, reason=REPLACED, at=at)
    return [entry.pk for entry in several]


def _entry(found: SampleSet) -> NewEntry:
    return NewEntry(
        owner=owner_of(found.digest),
        digest=found.digest,
        language=Language.CUDA,
        model=MODEL,
        harness=said_of(found),
        turns=TURNS,
        authorship=Authorship.PROJECT,
        visibility=Visibility.PUBLIC,
        licence="Apache-2.0",
    )


def _trajectory(of_one_problem: tuple[Sample, ...], product: str) -> NewTrajectory:
    return NewTrajectory(
        problem=of_one_problem[0].problem,
        problem_version=of_one_problem[0].problem_version,
        target=packaged().device(product).target,
        ending=TrajectoryEnding.STOPPED,
        turns=tuple(
            NewTurn(number=number, kernel=sample.source, event=sample.name)
            for number, sample in enumerate(of_one_problem)
        ),
    )


def _sample_of(run: Run, found: SampleSet) -> Sample:
    (sample,) = (
        one
        for one in found.samples
        if (one.sha256, one.problem) == (run.kernel.sha256, run.problem)
    )
    return sample


def _judge(store: Artifacts, run: Run, sample: Sample, found: SampleSet) -> None:
    """Take a run through both halves as its workers would have told of them."""
    halves = (
        (Half.PREPARE, queues.PREPARE, sample.prepare, Told.READY),
        (Half.MEASURE, queues.measurer(found.product).queue, sample.measure, Told.FINISHED),
    )
    at = sample.measured_at
    for half, queue, outcome, due in halves:
        # Nobody knows the key, so that nobody can speak of the attempt.
        digest = key_digest(secrets.token_urlsafe())
        attempt = create_attempt(run, half, queue=queue, device=found.product, digest=digest, at=at)
        assert attempt is not None, f"the run of {sample.name} was taken by somebody else"
        worker = f"{half}@samples"
        for place, report in enumerate(outcome.reports):
            report_stage(store, attempt, worker, place, report, at=at)
        ending = _ending(outcome)
        at += timedelta(seconds=ending.seconds)
        told = report_end(store, attempt, worker, ending, at=at)
        assert told is due, f"the {half} half of {sample.name} came to {told}"


def _ending(outcome: Outcome) -> Ending:
    seconds = sum(report.seconds for report in outcome.reports)
    return Ending(outcome.verdict, outcome.artifacts, seconds)
