"""What was confirmed of an upload, each fact once, and beside it what the file says where that is another thing."""

from dataclasses import dataclass

from evaluation.core.quoting import counted
from portal.uploads.choices import Choices
from portal.uploads.importers.records import Layout
from portal.uploads.preview import Preview


@dataclass(frozen=True, slots=True)
class Fact:
    """``file_says`` is empty where the file says the same or nothing. Both are as somebody wrote them."""

    name: str
    value: str
    file_says: str = ""


def confirmed_facts(confirmed: Choices, said: Preview) -> tuple[Fact, ...]:
    """A problem, target or device was confirmed for what the file leaves open; where it says all, that is the value."""
    harness = " ".join(one for one in (confirmed.harness, confirmed.harness_version) if one)
    return (
        _of_the_entry("Model", confirmed.model, said.models),
        _of_the_entry(
            "Harness",
            _with_effort(harness, confirmed.reasoning_effort),
            tuple(
                _with_effort(f"{one.harness} {one.harness_version}".strip(), one.reasoning_effort)
                for one in said.proposed
            ),
        ),
        _where_left_open("Problem", confirmed.problem, said.problems, "none"),
        _where_left_open(
            "Target",
            confirmed.target.title() if confirmed.target else "",
            tuple(one.title() for one in said.targets),
            "none",
        ),
        _where_left_open(
            "Device",
            confirmed.device.upper(),
            tuple(one.upper() for one in said.devices),
            "any of the target",
        ),
        _of_the_entry(
            "Layout",
            _layout(Layout(confirmed.prompts, confirmed.trajectories, confirmed.turns)),
            tuple(_layout(one) for one in said.layouts),
        ),
    )


def _with_effort(harness: str, effort: str) -> str:
    return ", ".join(one for one in (harness, effort and f"effort {effort}") if one)


def _of_the_entry(name: str, value: str, file_says: tuple[str, ...]) -> Fact:
    """What was confirmed holds, whatever the file says."""
    others = tuple(dict.fromkeys(one for one in file_says if one))
    return Fact(name, value or "none", "" if others in ((), (value,)) else "; ".join(others))


def _where_left_open(name: str, chosen: str, file_says: tuple[str, ...], nothing: str) -> Fact:
    """What the file says holds, and what was chosen for the rest of it."""
    if not chosen or file_says == (chosen,):
        return Fact(name, ", ".join(file_says) or nothing)
    return Fact(name, chosen, ", ".join(file_says))


def _layout(one: Layout) -> str:
    """Without what is not said; empty where nothing is."""
    parts = (
        (one.prompts, "prompt", "prompts"),
        (one.trajectories, "trajectory", "trajectories"),
        (one.turns, "turn", "turns"),
    )
    return " × ".join(
        counted(number, noun, many=many) for number, noun, many in parts if number is not None
    )
