"""Which published runs are shown, and which models wrote their kernels: ``main_runs.toml``, read and applied."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

from evaluation.adapters.text_files import text_of
from evaluation.core.catalogue.tables import Table, parse
from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target
from portal.uploads.importers.published.published_records import RunKey

LIMIT_ENTRIES = 60

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")
_PART = re.compile(r"[A-Za-z0-9._-]{1,120}")
Key = TypeVar("Key")
Workload = tuple[str, Target, str]  # published model, target, definition


@dataclass(frozen=True, slots=True)
class MainRuns:
    """``variants``: published name to the model that it is a variant of. ``aliases``: alias to model."""

    where: str
    name: str
    source: str
    experiments: Mapping[Workload, str]
    variants: Mapping[str, str]
    aliases: Mapping[str, str]

    def model_of(self, published: str) -> str:
        return self.variants.get(published, published)

    def aliases_of(self, model: str) -> tuple[str, ...]:
        return tuple(alias for alias, named in self.aliases.items() if named == model)

    def among(self, keys: Iterable[RunKey]) -> frozenset[RunKey]:
        """Choose the main runs. Raise InvalidInput where that is not said or said of a run that is not there."""
        groups: dict[Workload, list[RunKey]] = defaultdict(list)
        for key in keys:
            groups[key.model, key.target, key.definition].append(key)
        for workload, experiment in self.experiments.items():
            if experiment not in [key.experiment for key in groups.get(workload, ())]:
                raise self._broken(workload, f"names the run {experiment}, which is not published")
        chosen = [self._one(workload, runs) for workload, runs in groups.items()]
        return frozenset(key for key in chosen if key is not None)

    def _one(self, workload: Workload, runs: list[RunKey]) -> RunKey | None:
        if workload[0] in self.variants:
            return None
        if workload in self.experiments:
            runs = [key for key in runs if key.experiment == self.experiments[workload]]
        if len(runs) > 1:
            raise self._broken(workload, f"{len(runs)} runs are published; name the main one")
        return runs[0]

    def _broken(self, workload: Workload, rule: str) -> InvalidInput:
        return InvalidInput(where=self.where, key=" / ".join(workload), rule=rule)


def packaged_main_runs() -> MainRuns:
    """Read the table that comes with this package."""
    file = files("portal.uploads.importers.published").joinpath("main_runs.toml")
    return load_main_runs(text_of(file), where=file.name)


def load_main_runs(text: str, *, where: str) -> MainRuns:
    """Raise InvalidInput for a document that breaks a rule, with the key that does."""
    top = parse(text, where=where)
    top.only("format", "name", "source", "main", "variants", "aliases")
    top.integer("format", low=1, high=1)
    return MainRuns(
        where,
        top.name("name", _NAME, like="lower-case letters, digits, dots and -"),
        top.line("source", limit=200),
        _once(top, "main", _main),
        _once(top, "variants", _variant),
        _once(top, "aliases", _alias),
    )


def _once(top: Table, key: str, read: Callable[[Table], tuple[Key, str]]) -> Mapping[Key, str]:
    found: dict[Key, str] = {}
    for table in top.tables(key, limit=LIMIT_ENTRIES) if top.has(key) else ():
        said, answer = read(table)
        if said in found:
            raise table.broken("", "an earlier entry says this too")
        found[said] = answer
    return found


def _main(table: Table) -> tuple[Workload, str]:
    table.only("model", "target", "definition", "experiment")
    like = "letters, digits, dots, - and _"
    workload = (
        table.line("model", limit=120),
        table.word("target", Target),
        table.name("definition", _PART, like=like),
    )
    return workload, table.name("experiment", _PART, like=like)


def _variant(table: Table) -> tuple[str, str]:
    table.only("published", "model")
    return table.line("published", limit=120), table.line("model", limit=120)


def _alias(table: Table) -> tuple[str, str]:
    table.only("alias", "model")
    return table.line("alias", limit=120), table.line("model", limit=120)
