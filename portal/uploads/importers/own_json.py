"""Our own trajectory format: one JSON document a trajectory, described by ptxboard_trajectory_v1.schema.json."""

import io
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import TypeVar

from evaluation.core.verdict import Language, Target
from portal.uploads.importers.bounds import Budget
from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.hardware import product_of, target_of
from portal.uploads.importers.importer import Head, Shape
from portal.uploads.importers.own_turns import TURN_FIELDS, own_turn, turn_fields
from portal.uploads.importers.records import (
    Ending,
    Format,
    Layout,
    Place,
    Proposed,
    ReadTrajectory,
    Trouble,
)
from portal.uploads.importers.source import Source
from portal.uploads.importers.stored_document import scrubbed_document
from portal.uploads.reading.json_stream import EACH, Json, Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole

FORMAT = "ptxboard-trajectory"
VERSION = 1
_TOP = (
    "format",
    "version",
    "model",
    "harness",
    "reasoning_effort",
    "language",
    "problem",
    "target",
    "device",
    "layout",
    "place",
    "ending",
)
_WANTED = (*(Wanted((key,)) for key in _TOP), Wanted(("turns", EACH), keep=TURN_FIELDS))

Word = TypeVar("Word", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class OwnJson:
    name: Format = Format.OWN_JSON

    def recognises(self, head: Head) -> bool:
        return head.shape is Shape.JSON and head.marks.get("format") == FORMAT

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        if source.name in done:
            return
        with source.open() as file:
            content = whole(file, limits.document_bytes, source.name)
        yield read_own(content, source.name, limits)


def schema() -> str:
    """Give the published JSON schema as text."""
    folder = files("portal.uploads.importers")
    return folder.joinpath("ptxboard_trajectory_v1.schema.json").read_text()


def read_own(content: bytes, member: str, limits: Limits) -> ReadTrajectory:
    """Read one document; without turns and with a named problem where it is of another format or version."""
    top, turns = _parts(content, member, limits)
    problems = Problems()
    said = Fields(top, member, problems)
    document = scrubbed_document(content, member, limits)
    if said.text("format") != FORMAT or said.count("version") != VERSION:
        sentence = f"only version {VERSION} of the format {FORMAT} is read"
        problems.add(Trouble.NOT_A_TRAJECTORY, sentence, member)
        return ReadTrajectory(member, Format.OWN_JSON, Proposed(), (), problems=problems.all())
    for key in ("model", "problem"):
        if not said.name(key):
            problems.add(Trouble.BROKEN_FIELD, f"{key} is missing or empty", member)
    if not turns:
        problems.add(Trouble.NOT_A_TRAJECTORY, "the trajectory has no turns", member)
    language = _word(said, "language", Language) or Language.CUDA
    device = product_of(said.name("device", limit=80))
    return ReadTrajectory(
        member=member,
        format=Format.OWN_JSON,
        proposed=Proposed(
            model=said.name("model"),
            harness=said.name("harness", "name"),
            harness_version=said.name("harness", "version", limit=40),
            reasoning_effort=said.name("reasoning_effort", limit=40),
            language=language,
        ),
        turns=tuple(
            own_turn(turn_fields(turn, number, member), number, language, limits)
            for number, turn in enumerate(turns)
        ),
        problem=said.name("problem"),
        target=_word(said, "target", Target) or target_of(device),
        device=device,
        layout=Layout(
            said.count("layout", "prompts") or None,
            said.count("layout", "trajectories") or None,
            said.count("layout", "turns") or None,
        ),
        place=Place(
            said.count("place", "prompt") or 0,
            said.count("place", "number") or 0,
            said.name("place", "prompt_tag", limit=100),
        ),
        ending=_word(said, "ending", Ending) or Ending.UNKNOWN,
        document=document,
        problems=problems.all(),
    )


def _parts(content: bytes, member: str, limits: Limits) -> tuple[dict[str, Json], list[Json]]:
    top: dict[str, Json] = {}
    turns: list[Json] = []
    budget = Budget(member)
    for one in picked(io.BytesIO(content), _WANTED, limits, member):
        budget.hold(one.value)
        if one.path[0] == "turns":
            budget.turn()
            turns.append(one.value)
        else:
            top[str(one.path[0])] = one.value
    return top, turns


def _word(said: Fields, key: str, words: type[Word]) -> Word | None:
    text = said.text(key)
    found = next((word for word in words if word.value == text), None)
    if found is None and said.present(key):
        sentence = f"{key} is not one of {', '.join(words)}"
        said.problems.add(Trouble.BROKEN_FIELD, sentence, said.where)
    return found
