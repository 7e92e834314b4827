"""What is generated: models of different skill, their entries, and how each turn went; the same for the same seed."""

import random
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from evaluation.core.entry_words import Authorship, Track, Visibility

START = datetime(2026, 1, 5, tzinfo=UTC)
_DAYS = 300
_ENTRIES_A_MODEL = 8
_TRAJECTORIES_A_SINGLE = 100
TURNS = 8

_SHAPES = ((3, 4, 5), (1, 8, 1), (2, 4, 2))  # prompts, trajectories, problems
_SHAPE_WEIGHTS = (0.8, 0.1, 0.1)
_TARGETS = ("hopper", "blackwell")
_TARGET_WEIGHTS = (0.75, 0.25)
_HARNESSES = ("ptxbench", "swe-loop", "own-harness")
_PACKS = ("docs-full", "docs-brief", "")
_EFFORTS = ("low", "medium", "high", "")
_AUTHORSHIPS = (Authorship.ATTESTED, Authorship.HARNESS_LOG, Authorship.UPLOADER)


@dataclass(frozen=True, slots=True)
class PlannedModel:
    """``skill`` is how likely a turn is right, ``instruction`` how likely such a one runs the family; 0 to 1 each.

    ``speed`` is the middle of its ratios.
    """

    number: int
    name: str
    track: str
    released_on: date
    accepted: bool
    skill: float
    instruction: float
    speed: float


@dataclass(frozen=True, slots=True)
class PlannedEntry:
    """``problems`` says how many it has; ``judged`` is the share of its turns with a verdict."""

    number: int
    uid: uuid.UUID
    model: PlannedModel
    target: str
    problems: int
    prompts: int
    trajectories: int
    turns: int
    visibility: str
    withdrawn: bool
    authorship: str
    harness: str
    pack: str
    effort: str
    judged: float
    at: datetime

    @property
    def single(self) -> bool:
        return self.turns == 1


def planned_models(lot: random.Random, trajectories: int) -> tuple[PlannedModel, ...]:
    return tuple(
        _model(lot, number) for number in range(1 + trajectories // (50 * _ENTRIES_A_MODEL))
    )


def planned_entries(
    lot: random.Random, models: Sequence[PlannedModel], *, trajectories: int, problems: int
) -> Iterator[PlannedEntry]:
    """Give entries of exactly so many trajectories together, each of 8 turns, and single kernels beside them."""
    number, left = 0, trajectories
    while left:
        prompts, several, of = lot.choices(_SHAPES, _SHAPE_WEIGHTS)[0]
        of = min(of, problems)
        if prompts * several * of > left:
            prompts, several, of = 1, min(left, 12), 1
        left -= prompts * several * of
        yield _entry(lot, number, models, (prompts, several, TURNS), of)
        number += 1
    for _ in range(trajectories // _TRAJECTORIES_A_SINGLE):
        yield _entry(lot, number, models, (1, 1, 1), 1)
        number += 1


def unique_id(lot: random.Random) -> uuid.UUID:
    return uuid.UUID(int=lot.getrandbits(128), version=4)


def _model(lot: random.Random, number: int) -> PlannedModel:
    family = ("Aster", "Birch", "Cedar", "Delta", "Ember")[number % 5]
    return PlannedModel(
        number=number,
        name=f"{family} {number // 5 + 1}",
        track=lot.choices(
            (Track.MODEL.value, Track.AGENT.value, Track.HUMAN.value), (0.7, 0.25, 0.05)
        )[0],
        released_on=(START - timedelta(days=lot.randrange(500))).date(),
        accepted=lot.random() > 0.05,
        skill=lot.betavariate(2, 2),
        instruction=lot.betavariate(2, 2),
        speed=lot.uniform(0.05, 1.0),
    )


def _entry(
    lot: random.Random,
    number: int,
    models: Sequence[PlannedModel],
    layout: tuple[int, int, int],
    problems: int,
) -> PlannedEntry:
    visibility = lot.choices(
        (Visibility.PUBLIC.value, Visibility.PRIVATE.value, Visibility.EMBARGOED.value),
        (0.9, 0.08, 0.02),
    )[0]
    prompts, trajectories, turns = layout
    return PlannedEntry(
        number=number,
        uid=unique_id(lot),
        model=lot.choice(models),
        target=lot.choices(_TARGETS, _TARGET_WEIGHTS)[0],
        problems=problems,
        prompts=prompts,
        trajectories=trajectories,
        turns=turns,
        visibility=visibility,
        withdrawn=lot.random() < 0.02,
        authorship=lot.choice(_AUTHORSHIPS).value,
        harness=lot.choice(_HARNESSES),
        pack=lot.choice(_PACKS),
        effort=lot.choice(_EFFORTS),
        judged=1.0 if lot.random() < 0.95 else lot.random(),
        at=START + timedelta(seconds=lot.randrange(_DAYS * 24 * 3600)),
    )
