"""Token addresses and tensor-map tokens (rules L1, L5 and L9)."""

import itertools
from typing import Any

import pytest
from recordings import Record, Recorded

from evaluation.core.record.map_tokens import token

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def bases(recorded: Recorded) -> list[int]:
    """Bases of buffers, variables and allocations in the order in which they were made."""
    found: list[dict[str, Any]] = [*recorded.of("buffer")]
    for module in recorded.of("module"):
        found += module["symbols"]
    return [one["base"] for one in found + recorded.of("alloc")]


def pairs(act: Record, seed: int) -> list[tuple[int, int]]:
    first, second = (act("never_more_aligned", calls=1, seed=seed, process=one) for one in (0, 1))
    return list(zip(bases(first), bases(second), strict=True))


def test_a_base_is_aligned_to_256_bytes_and_not_more(act: Record) -> None:
    for base in itertools.chain.from_iterable(pairs(act, 11)):
        assert base % 512 == 256


def test_bases_lie_where_linux_puts_neither_programs_nor_stacks(act: Record) -> None:
    for base in itertools.chain.from_iterable(pairs(act, 12)):
        assert 0x10 << 40 <= base < 0x50 << 40


def test_every_byte_above_the_lowest_differs_between_the_two_processes(act: Record) -> None:
    for first, second in pairs(act, 13):
        here, there = first.to_bytes(6, "little"), second.to_bytes(6, "little")
        assert here[0] == there[0] == 0
        assert all(one != other for one, other in zip(here[1:], there[1:], strict=True))


def test_every_base_differs_by_a_difference_of_its_own(act: Record) -> None:
    moved = [second - first for first, second in pairs(act, 14)]
    assert len(moved) == 46  # four buffers, two variables, forty allocations
    assert len(set(moved)) == len(moved)


def test_sorted_pointers_come_in_another_order_in_the_other_process(act: Record) -> None:
    made = pairs(act, 15)[:6]  # buffers and variables
    for (a, other_a), (b, other_b) in itertools.combinations(made, 2):
        assert (a < b) != (other_a < other_b)


def test_ranges_never_come_near_each_other(act: Record) -> None:
    for process in (0, 1):
        recorded = act("allocate", calls=1, seed=16, process=process)
        made = recorded.of("buffer") + [
            one for one in recorded.of("alloc") if one["kind"] != "host"
        ]
        for one, other in itertools.combinations(made, 2):
            low, high = sorted((one, other), key=lambda range_: range_["base"])
            assert low["base"] + low["size"] + (1 << 20) <= high["base"]


def test_another_seed_gives_other_bases_and_another_nonce(act: Record) -> None:
    one, other = act("plain", seed=1), act("plain", seed=2)
    assert not set(bases(one)) & set(bases(other))
    assert one.events[0]["nonce"] != other.events[0]["nonce"]


def test_the_two_processes_have_different_nonces(act: Record) -> None:
    nonces = {act("plain", process=process).events[0]["nonce"] for process in (0, 1)}
    assert len(nonces) == 2


def test_a_map_is_passed_as_the_documented_token(act: Record) -> None:
    recorded = act("encode", calls=1)
    nonce = bytes.fromhex(recorded.events[0]["nonce"])
    (launch,) = recorded.of("launch")
    assert bytes.fromhex(launch["parameters"]) == token(nonce, 0) + token(nonce, 1)
