"""A signal: something a person should look at. It never decides a verdict by itself."""

import re
from dataclasses import dataclass

from evaluation.core.verdict import Severity, Stage

_KIND = re.compile(r"[a-z][a-z0-9_]{2,47}\Z")


@dataclass(frozen=True, slots=True)
class Signal:
    """One observation.

    ``kind`` is a stable snake_case word, ``version`` rises when the rule behind it changes its meaning,
    ``evidence`` are short lines (a source line, an opcode row, a call name), ``sentence`` is written for the owner.
    """

    kind: str
    version: int
    severity: Severity
    stage: Stage
    sentence: str
    evidence: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _KIND.match(self.kind):
            raise ValueError(
                f"signal kind {self.kind!r} is not a snake_case word of 3 to 48 letters"
            )
        if self.version < 1:
            raise ValueError("signal versions start at 1")
        if not self.sentence:
            raise ValueError(f"signal {self.kind} has no sentence for the owner")
