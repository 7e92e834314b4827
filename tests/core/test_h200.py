"""What one H200 answered (fixtures/h200) against what this project says of it."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.occupancy import BlockNeeds, active_blocks_per_sm

HERE = Path(__file__).parent
RECORDING = HERE.parents[1] / "docs" / "recording.md"


def measured(name: str) -> dict[str, Any]:
    document = tomllib.loads((HERE / "fixtures" / "h200" / name).read_text(encoding="utf-8"))
    assert (document["device"], document["driver"]) == ("NVIDIA H200", "580.159.04")
    return document


@pytest.fixture(scope="module")
def h200() -> Device:
    return packaged().device("h200")


def needs(sweep: dict[str, Any], threads: int, dynamic: int) -> BlockNeeds:
    return BlockNeeds(
        threads=threads,
        registers_per_thread=sweep["registers"],
        static_shared_bytes=sweep["static_shared"],
        dynamic_shared_bytes=dynamic,
        dynamic_limit_bytes=sweep.get("dynamic_limit"),
        barriers=sweep["barriers"],
        carveout_percent=sweep.get("carveout"),
    )


def points() -> Iterator[tuple[str, BlockNeeds, int]]:
    document = measured("occupancy.toml")
    for sweep in document["sweeps"]:
        for threads, blocks in sweep.get("by_threads", ()):
            yield sweep["kernel"], needs(sweep, threads, 0), blocks
        for dynamic, blocks in sweep["by_dynamic_at_128_threads"]:
            yield sweep["kernel"], needs(sweep, 128, dynamic), blocks
    for grid in document["grids"]:
        for threads, row in grid["blocks_by_threads"].items():
            for dynamic, blocks in zip(grid["dynamic"], row, strict=True):
                yield grid["kernel"], needs(grid, int(threads), dynamic), blocks


def test_the_rule_gives_every_occupancy_that_was_measured(h200: Device) -> None:
    limits = h200.sm_limits()
    found = list(points())
    wrong = [one for one in found if active_blocks_per_sm(one[1], limits) != one[2]]
    assert wrong == []
    assert len(found) == 2023


def test_the_cluster_groups_give_every_count_that_was_measured(h200: Device) -> None:
    rows = measured("clusters.toml")["clusters_by_blocks_per_sm"]
    assert len(rows) == 11
    for blocks, counts in rows.items():
        found = [
            h200.clusters_at_a_time(cluster_blocks=size, blocks_per_sm=int(blocks))
            for size in range(1, 17)
        ]
        assert found == counts


def test_the_recording_page_names_every_measured_launch_error() -> None:
    page = RECORDING.read_text(encoding="utf-8").split("## What the real runtime answers")[1]
    rows = [line for line in page.splitlines() if line.startswith("| ")][1:]
    launches = measured("launch_errors.toml")["launches"]
    assert rows == [f"| {what} | `{error}` ({number}) |" for what, error, number in launches]
    assert len(rows) == 21


def test_measured_values_replace_documented_ones(h200: Device) -> None:
    by_name = {one.name: one for one in h200.attributes}
    bus = by_name["cudaDevAttrGlobalMemoryBusWidth"]
    assert (bus.value, bus.source) == (6016, "measured 2026-11-30")  # the data sheet says 6,144
    assert by_name["cudaDevAttrL2CacheSize"].value == 62914560
    assert h200.total_memory_bytes == 150109880320
    assert h200.unknown_attributes() == ()
    assert h200.unknown_facts() == ()


@pytest.mark.parametrize("product", ["h100-sxm", "h100-pcie", "h100-nvl"])
def test_other_hopper_products_share_what_the_architecture_fixes_and_no_more(
    product: str, h200: Device
) -> None:
    device = packaged().device(product)
    shared = {one.number for one in device.attributes} - {16, 38}  # SMs, L2
    assert {number: device.attribute(number) for number in shared} == {
        number: h200.attribute(number) for number in shared
    }
    unknown = {name for _, name in device.unknown_attributes()}
    assert "cudaDevAttrClockRate" in unknown
    assert "cudaDevAttrGlobalMemoryBusWidth" in unknown
    assert device.cluster_groups == ()
    assert device.clusters_at_a_time(cluster_blocks=2, blocks_per_sm=1) is None
