"""Reads the sample kernels that come with this package, and what the judge reported of them."""

import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable

from evaluation.adapters.text_files import text_of
from evaluation.core import wire
from evaluation.core.catalogue.tables import Table, parse
from evaluation.core.records import Outcome

LIMIT_SAMPLES = 32

_NAME = re.compile(r"[a-z0-9_]{1,64}")
_LIKE = "lower-case letters, digits and _"


@dataclass(frozen=True, slots=True)
class Sample:
    """One kernel with the reports of both halves; ``artifacts`` by the names that the reports give them."""

    name: str
    problem: str
    problem_version: int
    measured_at: datetime
    source: bytes
    prepare: Outcome
    measure: Outcome
    artifacts: Mapping[str, bytes]

    @property
    def sha256(self) -> str:
        """By which the kernel is known."""
        return hashlib.sha256(self.source).hexdigest()


@dataclass(frozen=True, slots=True)
class SampleSet:
    """All samples in their order. ``digest`` is of everything in them; ``gpu`` is the product in full.

    ``measured_at`` is when the first of them was measured.
    """

    digest: str
    judge: str
    product: str
    gpu: str
    measured_at: datetime
    samples: tuple[Sample, ...]


def sample_folder() -> Traversable:
    return files("portal.quickstart").joinpath("sample")


def digest_of(folder: Traversable) -> str:
    """The SHA-256 of all that ``samples`` reads, quicker than reading it."""
    hashed = hashlib.sha256()
    statement = folder.joinpath("samples.toml")
    for file in (statement, *_files(folder, parse(text_of(statement), where=statement.name))):
        content = file.read_bytes()
        hashed.update(f"{file.name} {len(content)}\n".encode())
        hashed.update(content)
    return hashed.hexdigest()


def samples(folder: Traversable) -> SampleSet:
    """Read the folder. Raise InvalidInput or OSError where the package is damaged."""
    statement = folder.joinpath("samples.toml")
    top = parse(text_of(statement), where=statement.name)
    top.only("format", "judge", "product", "gpu", "driver", "measured_at", "samples")
    top.integer("format", low=1, high=1)
    first = _instant(top)
    return SampleSet(
        digest=digest_of(folder),
        judge=top.line("judge", limit=20),
        product=top.name("product", _NAME, like=_LIKE),
        gpu=top.line("gpu", limit=40),
        measured_at=first,
        samples=tuple(_sample(folder, one, first) for one in _stated(top)),
    )


def _stated(top: Table) -> tuple[Table, ...]:
    return top.tables("samples", limit=LIMIT_SAMPLES)


def _sample(folder: Traversable, stated: Table, first: datetime) -> Sample:
    stated.only("name", "problem", "problem_version", "measured_at")
    name = stated.name("name", _NAME, like=_LIKE)
    own = folder.joinpath(name)
    return Sample(
        name=name,
        problem=stated.name("problem", _NAME, like=_LIKE),
        problem_version=stated.integer("problem_version", low=1, high=10_000),
        measured_at=_instant(stated) if stated.has("measured_at") else first,
        source=own.joinpath("kernel.cu").read_bytes(),
        prepare=_outcome(own.joinpath("prepare.json")),
        measure=_outcome(own.joinpath("measure.json")),
        artifacts={
            one.name.removesuffix(".gz"): gzip.decompress(one.read_bytes())
            for one in _artifacts(own)
        },
    )


def _outcome(file: Traversable) -> Outcome:
    return wire.decode(Outcome, file.read_bytes(), where=file.name)


def _instant(top: Table) -> datetime:
    word = top.line("measured_at", limit=40)
    try:
        found = datetime.fromisoformat(word)
    except ValueError as error:
        raise top.broken("measured_at", "is no time") from error
    if found.tzinfo is None:
        raise top.broken("measured_at", "does not say of which zone it is")
    return found


def _files(folder: Traversable, top: Table) -> Iterator[Traversable]:
    for stated in _stated(top):
        own = folder.joinpath(stated.name("name", _NAME, like=_LIKE))
        yield from (own.joinpath(name) for name in ("kernel.cu", "prepare.json", "measure.json"))
        yield from _artifacts(own)


def _artifacts(own: Traversable) -> list[Traversable]:
    return sorted(own.joinpath("artifacts").iterdir(), key=lambda file: file.name)
