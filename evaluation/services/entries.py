"""Store what was handed in: an entry, then trajectory by trajectory, so that a broken import goes on where it was."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from evaluation.core.errors import InvalidInput
from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef
from evaluation.core.verdict import Language
from evaluation.models import Artifact, Entry, Kernel, Model, ReportedResult, Trajectory, Turn
from evaluation.services.artifacts import artifact_rows
from evaluation.services.kernels import SOURCE, kernel_rows
from evaluation.services.new_rows import NewEntry, NewReported, NewTrajectory, NewTurn
from evaluation.services.new_rows_rules import check_entry, check_trajectory
from evaluation.services.stored_text import stored


@dataclass(frozen=True, slots=True)
class AddedEntry:
    """``created`` is False where the owner had handed in the same thing before; nothing was changed then."""

    entry: Entry
    created: bool


@dataclass(frozen=True, slots=True)
class AddedTrajectory:
    """``created`` is False where its place in the entry was taken; nothing was changed then."""

    trajectory: Trajectory
    created: bool


@transaction.atomic
def add_entry(new: NewEntry, *, at: datetime) -> AddedEntry:
    """Store the entry of this owner and digest once. Raise InvalidInput where it breaks a rule."""
    check_entry(new)
    model = None
    if new.model:
        model = Model.objects.filter(slug=new.model).first()
        if model is None:
            rule = f"{new.model[:80]!r} is no model of the table"
            raise InvalidInput(where="entry", key="model", rule=rule)
    entry, created = Entry.objects.get_or_create(
        owner=new.owner,
        digest=new.digest,
        defaults={
            "model": model,
            "proposed_model": stored(new.proposed_model, 200),
            "harness": stored(new.harness, 80),
            "harness_version": stored(new.harness_version, 40),
            "pack": stored(new.pack, 80),
            "language": new.language,
            "reasoning_effort": stored(new.reasoning_effort, 40),
            "prompts": new.prompts,
            "trajectories": new.trajectories,
            "turns": new.turns,
            "authorship": new.authorship,
            "visibility": new.visibility,
            "embargo_until": new.embargo_until,
            "licence": stored(new.licence, 80),
            "single_kernel": new.single_kernel,
            "created_at": at,
        },
    )
    return AddedEntry(entry, created)


def add_trajectory(
    store: Artifacts, entry: Entry, new: NewTrajectory, *, at: datetime
) -> AddedTrajectory:
    """Store one trajectory with its turns, all or nothing. Raise InvalidInput where it breaks a rule.

    Bytes go to the store before the transaction begins: a writer to SQLite keeps all others waiting.
    """
    check_trajectory(entry, new)
    stored_bytes = _Bytes.of(store, new)
    with transaction.atomic():
        rows = artifact_rows(stored_bytes.refs(), at=at)
        trajectory, created = Trajectory.objects.get_or_create(
            entry=entry,
            problem=new.problem[:80],
            target=new.target,
            reported_device=stored(new.reported_device, 40),
            prompt=new.prompt,
            number=new.number,
            defaults={
                "problem_version": new.problem_version,
                "ending": new.ending,
                "document": rows[stored_bytes.document.sha256] if stored_bytes.document else None,
            },
        )
        if created:
            _add_turns(trajectory, new.turns, stored_bytes, rows, Language(entry.language))
    return AddedTrajectory(trajectory, created)


@dataclass(frozen=True, slots=True)
class _Bytes:
    """What of a trajectory lies in the store; kernels and replies by the turn's number."""

    document: ArtifactRef | None
    kernels: dict[int, ArtifactRef]
    replies: dict[int, ArtifactRef]

    @classmethod
    def of(cls, store: Artifacts, new: NewTrajectory) -> "_Bytes":
        return cls(
            store.put("trajectory", new.document) if new.document is not None else None,
            {
                turn.number: store.put(SOURCE, turn.kernel)
                for turn in new.turns
                if turn.kernel is not None
            },
            {
                turn.number: store.put("reply", turn.reply)
                for turn in new.turns
                if turn.reply is not None
            },
        )

    def refs(self) -> list[ArtifactRef]:
        document = [self.document] if self.document else []
        return [*document, *self.kernels.values(), *self.replies.values()]


def _add_turns(
    trajectory: Trajectory,
    turns: tuple[NewTurn, ...],
    stored_bytes: _Bytes,
    rows: dict[str, Artifact],
    language: Language,
) -> None:
    kernels = kernel_rows(rows, list(stored_bytes.kernels.values()), language)
    made = Turn.objects.bulk_create(
        _turn(trajectory, new, stored_bytes, rows, kernels) for new in turns
    )
    ReportedResult.objects.bulk_create(
        _reported(row, new.reported)
        for row, new in zip(made, turns, strict=True)
        if new.reported is not None
    )


def _turn(
    trajectory: Trajectory,
    new: NewTurn,
    stored_bytes: _Bytes,
    rows: dict[str, Artifact],
    kernels: dict[str, Kernel],
) -> Turn:
    kernel, reply = stored_bytes.kernels.get(new.number), stored_bytes.replies.get(new.number)
    return Turn(
        trajectory=trajectory,
        number=new.number,
        kernel=kernels[kernel.sha256] if kernel else None,
        missing=new.missing or "",
        missing_said=stored(new.missing_said, 500),
        event=stored(new.event, 40),
        reply=rows[reply.sha256] if reply else None,
        prompt_tokens=new.prompt_tokens,
        completion_tokens=new.completion_tokens,
        reasoning_tokens=new.reasoning_tokens,
        cost_usd=new.cost_usd,
        at=new.at,
    )


def _reported(turn: Turn, new: NewReported) -> ReportedResult:
    return ReportedResult(
        turn=turn,
        status=stored(new.status, 60),
        correct=new.correct,
        speedup=new.speedup,
        latency_us=new.latency_us,
        reference_us=new.reference_us,
        device=stored(new.device, 80),
        workloads=new.workloads,
    )
