"""Why a kernel does not pass, before a stage makes a report of it."""

from dataclasses import dataclass

from evaluation.core.records import Remark
from evaluation.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Failed:
    """A verdict that ends the run. ``headline`` is one line; remarks say where and what to do."""

    verdict: Verdict
    headline: str
    remarks: tuple[Remark, ...]
