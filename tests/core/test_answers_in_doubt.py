"""The recorder's answers about kernels against those of an H200 (fixtures/h200/questions.toml)."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from recorded import H200, kernel

from evaluation.core.binary.facts import CubinFacts, DeviceSymbol
from evaluation.core.plan.plan import Assumption, AttributeStep
from evaluation.core.record.assumption_table import AnswerTable, answers, settled

BLOCKS = "cudaOccupancyMaxActiveBlocksPerMultiprocessor"
ROOM = "cudaOccupancyAvailableDynamicSMemPerBlock"
CLUSTERS = "cudaOccupancyMaxActiveClusters"
LARGEST = "cudaOccupancyMaxPotentialClusterSize"

MEASURED: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "fixtures" / "h200" / "questions.toml").read_text(encoding="utf-8")
)


def cubin() -> CubinFacts:
    kernels = []
    for name, stated in MEASURED["kernels"].items():
        triples = {
            key: tuple(value) if isinstance(value, list) else value for key, value in stated.items()
        }
        kernels.append(kernel(name, **triples))
    symbols = tuple(
        DeviceSymbol(f"c{index}", "constant", size)
        for index, size in enumerate(MEASURED["constant_sizes"])
    )
    return CubinFacts(sm=90, functions=tuple(kernels), symbols=symbols, externs=(), global_bytes=0)


CUBIN = cubin()


@dataclass(frozen=True)
class Asked:
    """A question after some attributes, and what the device answered; None for an error."""

    call: str
    arguments: tuple[int | str, ...]
    steps: tuple[AttributeStep, ...]
    answer: tuple[int, ...] | None

    @property
    def ours(self) -> tuple[int | str, ...] | None:
        return answers(Assumption(self.call, self.arguments, ()), H200, CUBIN, self.steps)

    @property
    def is_settled(self) -> bool:
        told = Assumption(self.call, self.arguments, self.ours or ())
        return settled((told,), H200, CUBIN, self.steps) == (told,)


def questions() -> Iterator[Asked]:
    for row in MEASURED["answers"]:
        name = row["kernel"]
        steps = tuple(AttributeStep(name, number, value) for number, value in row["set"])
        for call, arguments, answer in of_one(row):
            found = None if answer == (-1,) and call != "cuFuncGetAttribute" else answer
            yield Asked(call, (name, *arguments), steps, found)


def of_one(row: dict[str, Any]) -> Iterator[tuple[str, tuple[int, ...], tuple[int, ...]]]:
    yield "cudaFuncGetAttributes", (), tuple(row["attributes"])
    for number, value in enumerate(row["single"]):
        yield "cuFuncGetAttribute", (number,), (value,)
    for threads, values in row["blocks"].items():
        for shared, value in zip(MEASURED["dynamic"], values, strict=True):
            yield BLOCKS, (int(threads), shared), (value,)
    for threads, values in row["room"].items():
        for blocks, value in zip(MEASURED["room_blocks"], values, strict=True):
            yield ROOM, (blocks, int(threads)), (value,)
    for shared, values in row["clusters"].items():
        for size, value in zip(MEASURED["cluster_sizes"], values, strict=True):
            yield CLUSTERS, (128, int(shared), size), (value,)
    for shared, value in zip(MEASURED["cluster_dynamic"], row["largest"], strict=True):
        yield LARGEST, (128, shared, 0), (value,)


ALL = tuple(questions())


def test_what_is_settled_is_what_the_device_answered() -> None:
    found = [one for one in ALL if one.is_settled]
    assert [one for one in found if one.ours != one.answer] == []
    assert len(found) > 2000
    assert {one.call for one in found} == {one.call for one in ALL}


def of(name: str, call: str, *arguments: int, after: tuple[int, int] | None = None) -> Asked:
    """A measured question; ``after`` is the last attribute that was set before it."""
    wanted = None if after is None else AttributeStep(name, *after)
    return next(
        one
        for one in ALL
        if (one.call, one.arguments) == (call, (name, *arguments))
        and (one.steps[-1] if one.steps else None) == wanted
    )


@pytest.mark.parametrize(
    ("asked", "ours", "real"),
    [
        # a gap of 5 bytes in front of an aligned variable
        (of("plain", "cuFuncGetAttribute", 2), (16,), (21,)),
        # __block_size__
        (of("sized_clusters", "cudaFuncGetAttributes"), (128, 10, 49152), (1024, 10, 49152)),
        (of("sized_clusters", "cuFuncGetAttribute", 0), (128,), (1024,)),
        (of("sized_clusters", "cuFuncGetAttribute", 10), (1,), (0,)),
        # more than 32 bits of shared memory
        (of("plain", BLOCKS, 128, 2**32 + 8), (0,), (16,)),
        # a carve-out of 0 percent
        (of("plain", ROOM, 2, 128, after=(9, 0)), (116736,), (4096,)),
        # load balancing
        (of("plain", CLUSTERS, 128, 0, 4, after=(15, 2)), (248,), (264,)),
        # __launch_bounds__ with clusters of at most 4
        (of("bounded_cluster", CLUSTERS, 128, 0, 8), (124,), None),
    ],
)
def test_an_answer_that_the_device_does_not_give_is_in_doubt(
    asked: Asked, ours: tuple[int, ...], real: tuple[int, ...] | None
) -> None:
    assert (asked.ours, asked.answer, asked.is_settled) == (ours, real, False)
    told = Assumption(asked.call, asked.arguments, ours)
    assert answers(told, H200, CUBIN, asked.steps) == told.answer


def test_one_constant_has_no_gap_in_front() -> None:
    told = Assumption("cuFuncGetAttribute", ("plain", 2), (3,))
    lone = replace(CUBIN, symbols=CUBIN.symbols[:1])
    assert settled((told,), H200, lone) == (told,)


def test_questions_about_the_device_are_settled() -> None:
    good = Assumption("cudaDeviceGetAttribute", (16, 0), (132,))
    bad = Assumption("cudaDeviceGetAttribute", (39, 0), (132,))
    assert settled((good, bad, Assumption("cudaGetDeviceCount", (), (1,))), H200, CUBIN) == (
        good,
        Assumption("cudaGetDeviceCount", (), (1,)),
    )


def test_a_call_that_asks_about_no_kernel_has_nothing_to_doubt() -> None:
    assert not AnswerTable(H200, CUBIN).is_in_doubt("cudaGetDeviceCount", ("plain",))
