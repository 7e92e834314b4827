"""A pack: golden kernels as the prepare half hands them over, in a folder that a machine with a GPU can be given.

    PACK/trusted_sm_90a.cubin    the judge's own kernels
    PACK/counters.so             the library that reads hardware counters
    PACK/CASE/plan.json cubin facts.json    as the record and build stages keep them
    PACK/CASE/case.json          problem, target, what the scan found, the hash of the source
    PACK/hosts/CASE/...          the same of kernels that show one way each in which host code may launch

A pack is made where the pinned toolchain is (``python -m tests.gpu.pack``) and read where it is not.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.device import default_product
from evaluation.core.measure.hand_over import prepared_of
from evaluation.core.measure.prepared import Prepared
from evaluation.core.verdict import FamilyExecuted, Target

GOLDEN = Path(__file__).parents[1] / "golden"
KINDS = ("kernels", "measured")
HOSTS = "hosts"  # replayed, never measured: they compute no problem
COUNTERS = "counters.so"


class Stale(Exception):
    """The pack was made from other sources than the tree holds."""


@dataclass(frozen=True, slots=True)
class Description:
    """``case.json``: what a kernel is for, what its scan found, and the hash of the file it was made from."""

    problem: str
    target: Target
    family: FamilyExecuted
    bulk_rows: int
    source_sha256: str

    def document(self) -> str:
        words = {
            "problem": self.problem,
            "target": self.target.value,
            "family": self.family.value,
            "bulk_rows": self.bulk_rows,
            "source_sha256": self.source_sha256,
        }
        return json.dumps(words, indent=1) + "\n"


def described(document: Mapping[str, str]) -> Description:
    return Description(
        problem=document["problem"],
        target=Target(document["target"]),
        family=FamilyExecuted(document["family"]),
        bulk_rows=int(document["bulk_rows"]),
        source_sha256=document["source_sha256"],
    )


def source_of(case: str, kinds: Sequence[str] = KINDS) -> Path:
    """The kernel file of a case, whose name is its own among these kinds."""
    (found,) = (path for kind in kinds if (path := GOLDEN / kind / case / "kernel.cu").exists())
    return found


@dataclass(frozen=True, slots=True)
class Pack:
    root: Path
    kinds: tuple[str, ...] = KINDS

    @property
    def hosts(self) -> "Pack":
        """The kernels of ``golden/hosts``, without the judge's own."""
        return Pack(self.root / HOSTS, (HOSTS,))

    @property
    def cases(self) -> tuple[str, ...]:
        return tuple(sorted(path.parent.name for path in self.root.glob("*/case.json")))

    @property
    def counters(self) -> Path:
        return self.root / COUNTERS

    def trusted_path(self, target: Target = Target.HOPPER) -> Path:
        return self.root / trusted_name(target)

    def trusted(self, target: Target = Target.HOPPER) -> bytes:
        return self.trusted_path(target).read_bytes()

    def description(self, case: str) -> Description:
        return described(json.loads((self.root / case / "case.json").read_text(encoding="utf-8")))

    def prepared(self, case: str) -> Prepared:
        """What a referee is handed for ``case``, checked as a worker checks it.

        Raise Stale when the tree's source is another one.
        """
        folder = self.root / case
        stated = self.description(case)
        if (
            hashlib.sha256(source_of(case, self.kinds).read_bytes()).hexdigest()
            != stated.source_sha256
        ):
            raise Stale(
                f"{folder} was made from another kernel.cu: run python -m tests.gpu.pack again"
            )
        there = packaged()
        return prepared_of(
            there.problem(stated.problem),
            there.device(default_product(stated.target)),
            plan=(folder / "plan.json").read_bytes(),
            cubin=(folder / "cubin").read_bytes(),
            facts=(folder / "facts.json").read_bytes(),
            family=stated.family,
        )


def trusted_name(target: Target) -> str:
    return f"trusted_{target.sm}.cubin"
