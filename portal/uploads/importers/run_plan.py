"""A run's plan.json: which experiment is which trajectory of which prompt, and what layout was declared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest

from portal.uploads.importers.fields import Fields
from portal.uploads.importers.records import Layout, Place
from portal.uploads.reading.json_stream import EACH, Path, Wanted

LIMIT_EXPERIMENTS = 10_000
PLAN_FIELDS: tuple[Path, ...] = (
    ("exp_index",),
    ("num_trajectories",),
    ("num_turns",),
    ("prompt_tag",),
    ("definition",),
)
PLAN_WANTED = (Wanted(("plan", EACH), keep=PLAN_FIELDS),)


@dataclass(frozen=True, slots=True)
class Planned:
    definition: str
    place: Place
    layout: Layout


@dataclass(frozen=True, slots=True)
class _Experiment:
    """``group`` names the prompt within its problem: by its tag, or by its item where there is none."""

    index: int
    definition: str
    group: str
    tag: str
    turns: int | None


def planned(items: Sequence[Fields]) -> Mapping[int, Planned]:
    """Say for each experiment number what was planned; prompts are numbered in the order of the plan, per problem."""
    experiments = tuple(islice(_experiments(items), LIMIT_EXPERIMENTS))
    prompts: dict[str, dict[str, list[_Experiment]]] = {}
    for one in experiments:
        prompts.setdefault(one.definition, {}).setdefault(one.group, []).append(one)
    return {
        one.index: Planned(definition, Place(prompt, number, one.tag), _layout(groups, one))
        for definition, groups in prompts.items()
        for prompt, group in enumerate(groups.values())
        for number, one in enumerate(group)
    }


def _layout(groups: Mapping[str, Sequence[_Experiment]], one: _Experiment) -> Layout:
    most = max(len(group) for group in groups.values())
    return Layout(prompts=len(groups), trajectories=most, turns=one.turns)


def _experiments(items: Sequence[Fields]) -> Iterator[_Experiment]:
    """Spread items over experiments: an item covers its trajectories, or fewer where the next item begins before."""
    ordered = sorted(zip(_starts(items), items, strict=True), key=lambda one: one[0])
    ends = [start for start, _ in ordered[1:]]
    for (start, item), end in zip_longest(ordered, ends):
        last = start + (item.count("num_trajectories") or 1)
        covered = range(start, last if end is None else min(last, end))
        tag = item.name("prompt_tag", limit=100)
        for index in covered:
            yield _Experiment(
                index,
                item.name("definition"),
                tag or f"item {item.where}",
                tag,
                item.count("num_turns") or None,
            )


def _starts(items: Sequence[Fields]) -> list[int]:
    """Give each item's first experiment: its exp_index, or where the item before it ends."""
    starts: list[int] = []
    following = 0
    for item in items:
        index = item.count("exp_index")
        start = following if index is None else index
        starts.append(start)
        following = start + (item.count("num_trajectories") or 1)
    return starts
