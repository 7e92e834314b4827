"""What a preview says of an upload, and what it asks the owner about."""

import json

import pytest
from conversations import (
    GEMM,
    GEMM_WORKLOAD,
    failed,
    kernel,
    passed,
    read,
    said,
    trajectory,
    user,
    wrote,
)
from run_directories import SMALL, as_zip, members

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Target
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.records import Format, Layout, Trouble
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.importers.understood import LIMIT_SHOWN, understood
from portal.uploads.reading.limits import Limits

OURS = {GEMM: GEMM_WORKLOAD}
KEY = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4" * 2


def test_a_run_directory_is_counted_up() -> None:
    source = source_of_bytes("x", as_zip(members(SMALL)))

    found = understood(importer_for(source, Limits()).read(source, Limits()), OURS)

    assert found.formats == (Format.RUN_DIRECTORY,)
    assert [one.model for one in found.proposed] == ["openai/demo-model"]
    assert (found.problems, found.targets, found.devices) == ((GEMM,), (Target.HOPPER,), ("H100",))
    assert found.layouts == (Layout(3, 1, 2),)
    assert (found.trajectories, found.turns, found.kernels, found.different_kernels) == (3, 6, 6, 6)
    assert (found.reported, found.reported_correct) == (6, 3)
    assert found.missing == {}
    assert found.secrets == 3  # the provider's key of each trajectory
    assert {place.found.where for place in found.secret_places} == {
        "info.config.model.model_kwargs.api_key"
    }
    assert (found.named, found.named_total) == ((), 0)
    assert not found.single_kernel


def test_turns_without_a_kernel_are_counted_by_reason() -> None:
    one = read(
        trajectory(
            wrote("a"),
            passed(),
            wrote("a"),
            failed(),
            said("Nothing."),
            user(event="no_code"),
            said(f'```cpp\n// "{KEY}"\n{kernel("b")}```'),
            failed(),
        )
    )

    found = understood([one], OURS)

    assert (found.turns, found.kernels, found.different_kernels) == (4, 2, 1)
    assert found.missing == {Missing.NO_CODE: 1, Missing.SCRUBBED: 1}
    assert found.secrets == 1
    assert found.secret_places[0].member == "exp_000.json"


def test_a_single_kernel_is_one() -> None:
    source = source_of_bytes("k.cu", kernel("a").encode())

    found = understood(importer_for(source, Limits()).read(source, Limits()), OURS)

    assert found.single_kernel
    assert [problem.kind for problem in found.named] == [Trouble.NO_PROBLEM, Trouble.NO_TARGET]


@pytest.mark.parametrize(
    ("workloads", "expected"),
    [
        pytest.param(OURS, [], id="ours"),
        pytest.param({"mha": "x"}, [Trouble.UNKNOWN_PROBLEM], id="a problem that nobody judges"),
        pytest.param({GEMM: "x"}, [Trouble.OTHER_WORKLOAD], id="another workload"),
    ],
)
def test_what_cannot_be_judged_is_named(workloads: dict[str, str], expected: list[Trouble]) -> None:
    found = understood([read(trajectory(wrote("a"), passed()))], workloads)

    assert [problem.kind for problem in found.named] == expected


def test_more_turns_than_declared_are_named() -> None:
    turns = [message for _ in range(9) for message in (wrote("a"), passed())]

    found = understood([read(trajectory(*turns))], OURS)

    assert [problem.sentence for problem in found.named] == [
        "9 turns were taken where 8 were declared"
    ]


def test_long_lists_are_cut_and_counted_on() -> None:
    one = read(trajectory(*(said("x") for _ in range(150))))

    found = understood([one], OURS)

    assert len(found.named) == LIMIT_SHOWN
    assert found.named_total == 152  # no feedback 150 times, no problem, more turns than declared


def test_nothing_that_is_shown_holds_a_secret() -> None:
    document = trajectory(wrote("a"), user(event="evaluation", all_passed=KEY, traces=[{KEY: KEY}]))
    document["info"] = {"exit_status": KEY, "config": {"model": {"model_name": f" {KEY} "}}}

    found = understood([read(document)], OURS)

    assert KEY not in repr(found)
    assert KEY in json.dumps(document)
