"""Limits of a device as its table states them, and what plans and steps add up to."""

from dataclasses import replace
from pathlib import Path

import pytest
from planned import CUBIN, PLAN, STEADY
from recorded import LIMITS

from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.device_file import load_device
from evaluation.core.plan.plan import AllocStep, FreeStep
from evaluation.core.plan.plan_limits import device_limits
from evaluation.core.plan.plan_measures import (
    allocated_bytes,
    device_bytes,
    hole_count,
    payload_bytes,
    peak_bytes,
    written_bytes,
)

DEVICES = Path(__file__).parents[2] / "evaluation" / "devices"


def table(name: str) -> Device:
    return load_device((DEVICES / f"{name}.toml").read_text(), where=name)


def test_the_limits_of_an_h200_are_these() -> None:
    assert device_limits(table("h200")) == LIMITS
    assert LIMITS.resident_threads == 270_336


def test_a_table_without_a_limit_is_our_own_mistake() -> None:
    device = table("h200")
    with pytest.raises(ValueError, match="h200 was built without portable_cluster_blocks"):
        device_limits(replace(device, facts=()))
    attributes = tuple(one for one in device.attributes if one.number != 6)
    with pytest.raises(ValueError, match="not enough values"):
        device_limits(replace(device, attributes=attributes))


def test_what_the_sample_plan_adds_up_to() -> None:
    assert allocated_bytes(PLAN.setup) == 4096 + 8192
    assert payload_bytes(PLAN.steps) == 8
    assert written_bytes(PLAN.setup) == 16 * 4 * 4 + 8
    assert written_bytes(STEADY) == 1024
    assert hole_count(PLAN.steps) == 3
    assert device_bytes(PLAN, CUBIN, LIMITS) == 4096 + 8192 + 1024 + 5120


def test_limits_of_stack_and_heap_are_counted() -> None:
    sample = 4096 + 8192 + 1024 + 5120
    stack = replace(PLAN, stack_bytes=4096)
    assert device_bytes(stack, CUBIN, LIMITS) == sample + 4096 * 132 * 2048
    assert device_bytes(replace(PLAN, heap_bytes=2**24), CUBIN, LIMITS) == sample + 2**24


def test_memory_given_back_is_used_again() -> None:
    setup = (AllocStep(0, 1000), FreeStep(0), AllocStep(1, 600), FreeStep(7))
    assert peak_bytes(replace(PLAN, setup=setup, steady=(AllocStep(2, 300),))) == 1000
    assert peak_bytes(replace(PLAN, setup=setup, steady=(AllocStep(2, 500),))) == 1100
