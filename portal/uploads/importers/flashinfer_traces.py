"""FlashInfer-Bench traces as JSON lines, put together by the solution that they are about."""

import io

from portal.uploads.importers.fields import Fields, Problems
from portal.uploads.importers.json_lines import json_lines
from portal.uploads.importers.records import ReadReported
from portal.uploads.importers.traces import TRACE_FIELDS, Trace, reported_of, trace_of
from portal.uploads.reading.json_stream import Wanted, picked
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import Readable

_TRACE_WANTED = (Wanted((), keep=TRACE_FIELDS),)

Key = tuple[str, str]
"""Definition and solution: the two names by which a trace says what it is about."""


class Traces:
    """All traces of an upload; lines that only list a workload are none."""

    def __init__(self) -> None:
        self._by_key: dict[Key, list[Trace]] = {}
        self._broken: dict[Key, Problems] = {}

    def read(self, stream: Readable, limits: Limits, member: str) -> None:
        for number, line in json_lines(stream, limits, member):
            where = f"{member}, line {number}"
            for one in picked(io.BytesIO(line), _TRACE_WANTED, limits, where):
                self._take(Fields(one.value, where, Problems()))

    def told(self) -> tuple[Key, ...]:
        return tuple(self._by_key)

    def of(self, key: Key) -> tuple[Trace, ...]:
        return tuple(self._by_key.get(key, ()))

    def reported(self, key: Key, problems: Problems, where: str) -> ReadReported | None:
        """Make one result of all traces of a solution; None where there is none."""
        broken = self._broken.get(key, Problems()).all()
        for one in broken:
            problems.add(one.kind, one.sentence, one.where)
        return reported_of(
            self.of(key),
            whole=not broken,
            all_passed=None,
            min_speedup=None,
            problems=problems,
            where=where,
        )

    def _take(self, line: Fields) -> None:
        key = (line.name("definition"), line.name("solution"))
        if not key[1] or not line.present("evaluation"):
            return
        trace = trace_of(line)
        if trace is None:
            self._by_key.setdefault(key, [])
            broken = self._broken.setdefault(key, Problems())
            for one in line.problems.all():
                broken.add(one.kind, one.sentence, one.where)
        else:
            self._by_key.setdefault(key, []).append(trace)
