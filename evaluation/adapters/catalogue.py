"""Finds problems and device tables: those that come with the package, or those of a folder.

A file is called after what it states: ``gemm_n7168_k5120.toml``, ``h200.toml``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Protocol, TypeVar

from evaluation.adapters.text_files import text_of
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.device_file import load_device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.catalogue.problem_file import load_problem
from evaluation.core.errors import InvalidInput

LIMIT_FILES = 256

Entry = TypeVar("Entry")
Entry_co = TypeVar("Entry_co", covariant=True)


class Load(Protocol[Entry_co]):
    def __call__(self, text: str, *, where: str) -> Entry_co: ...


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Folders with ``*.toml`` files; nothing else in them is looked at."""

    problem_folder: Traversable
    device_folder: Traversable

    def problems(self) -> tuple[Problem, ...]:
        """Load every problem in the order of names. Raise InvalidInput for the first file that is not right."""
        found = _all(self.problem_folder, load_problem, lambda problem: problem.name)
        owners: dict[str, str] = {}
        for one in found:
            first = owners.setdefault(one.workload, one.name)
            if first != one.name:
                rule = f"is the workload of {first} too"
                raise InvalidInput(where=f"{one.name}.toml", key="workload.uuid", rule=rule)
        return found

    def problem(self, name: str) -> Problem:
        """Load one problem by its name, or raise InvalidInput that lists the names there are."""
        return _one(self.problem_folder, name, load_problem, lambda problem: problem.name)

    def devices(self) -> tuple[Device, ...]:
        """Load every device table in the order of products."""
        return _all(self.device_folder, load_device, lambda device: device.product)

    def device(self, product: str) -> Device:
        """Load one device table by its product, or raise InvalidInput that lists the products there are."""
        return _one(self.device_folder, product, load_device, lambda device: device.product)


def packaged() -> Catalogue:
    """Give the problems and devices that come with this package."""
    root = files("evaluation")
    return Catalogue(root.joinpath("problems"), root.joinpath("devices"))


def in_folders(problems: Path, devices: Path) -> Catalogue:
    return Catalogue(problems, devices)


def _all(
    folder: Traversable, load: Load[Entry], called: Callable[[Entry], str]
) -> tuple[Entry, ...]:
    return tuple(_read(stem, file, load, called) for stem, file in _listed(folder))


def _one(
    folder: Traversable, name: str, load: Load[Entry], called: Callable[[Entry], str]
) -> Entry:
    listed = _listed(folder)
    for stem, file in listed:
        if stem == name:
            return _read(stem, file, load, called)
    known = ", ".join(stem for stem, _ in listed) or "none"
    raise InvalidInput(where=folder.name, key=name[:80], rule=f"no such file; there are: {known}")


def _listed(folder: Traversable) -> tuple[tuple[str, Traversable], ...]:
    """List (stem, file) sorted by stem. A name is looked up here and never joined to a path."""
    if not folder.is_dir():
        raise InvalidInput(where=folder.name, key="", rule="is no folder")
    found = [
        (entry.name.removesuffix(".toml"), entry)
        for entry in folder.iterdir()
        if entry.name.endswith(".toml") and entry.is_file()
    ]
    if len(found) > LIMIT_FILES:
        rule = f"holds {len(found)} files; at most {LIMIT_FILES} are read"
        raise InvalidInput(where=folder.name, key="", rule=rule)
    return tuple(sorted(found, key=lambda one: one[0]))


def _read(stem: str, file: Traversable, load: Load[Entry], called: Callable[[Entry], str]) -> Entry:
    entry = load(text_of(file), where=file.name)
    if called(entry) != stem:
        rule = f"states {called(entry)}; a file is called after what it states"
        raise InvalidInput(where=file.name, key="", rule=rule)
    return entry
