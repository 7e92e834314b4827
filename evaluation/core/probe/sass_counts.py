"""Threads that ran each instruction, as our reader of Nsight Compute's reports writes them: a document in bounds.

``{"launches": [{"function": name, "addresses": [...], "threads": [...]}]}``: one entry a launch; an address is in
bytes from the first instruction of the launched function, ``threads`` are those whose predicate was true.
"""

from collections import Counter
from dataclasses import dataclass

from evaluation.core.errors import InvalidInput
from evaluation.core.scan.sass import INSTRUCTION_BYTES
from evaluation.core.strict_json import Fields, count_marks, parse_object

LIMIT_BYTES = 16 << 20
LIMIT_LAUNCHES = 32  # of a call, as rule T4 bounds them
LIMIT_ROWS = 1 << 16  # instructions of one function
LIMIT_THREADS = 1 << 53

_WHERE = "Nsight Compute's counts"
_DEPTH = 4
_MARKS = 1 << 21


@dataclass(frozen=True, slots=True)
class SassCounts:
    """Over all launches of one call: threads by function and address. Names are the cubin's, so the author's."""

    launches: int
    threads: tuple[tuple[str, int, int], ...]  # function, address, predicate-true threads; sorted

    def by_place(self) -> dict[tuple[str, int], int]:
        return {(function, address): threads for function, address, threads in self.threads}


def read_sass_counts(content: bytes) -> SassCounts:
    """Read the document. Raise InvalidInput where it breaks its format."""
    if len(content) > LIMIT_BYTES:
        rule = f"has more than {LIMIT_BYTES} bytes"
        raise InvalidInput(where=_WHERE, key="", rule=rule)
    count_marks(content, where=_WHERE, key="", depth=_DEPTH, marks=_MARKS)
    document = parse_object(content, where=_WHERE, key="")
    document.exactly("launches")
    launches = document.children("launches", most=LIMIT_LAUNCHES)
    total = Counter[tuple[str, int]]()
    for launch in launches:
        _add(total, launch)
    rows = sorted((function, address, count) for (function, address), count in total.items())
    return SassCounts(len(launches), tuple(rows))


def _add(total: Counter[tuple[str, int]], launch: Fields) -> None:
    launch.exactly("function", "addresses", "threads")
    function = launch.name("function")
    addresses = launch.integers(
        "addresses", least=1, most=LIMIT_ROWS, high=LIMIT_ROWS * INSTRUCTION_BYTES
    )
    threads = launch.integers("threads", least=1, most=LIMIT_ROWS, high=LIMIT_THREADS)
    if len(addresses) != len(threads) or len(set(addresses)) != len(addresses):
        raise launch.broken("threads", "must be one number for each address, and each address once")
    if any(address % INSTRUCTION_BYTES for address in addresses):
        raise launch.broken("addresses", f"must be multiples of {INSTRUCTION_BYTES}")
    total.update(
        {(function, address): count for address, count in zip(addresses, threads, strict=True)}
    )
