"""A run directory in an archive: places from the plan, one trajectory at a time, resumed by member name."""

import json
from collections.abc import Callable, Iterator

import pytest
import run_directories
from conversations import kernels, trajectory, troubles, wrote
from run_directories import SMALL, RunShape, as_tar_gz, as_zip, members

from evaluation.core.verdict import Target
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.records import Ending, Format, Layout, Place, ReadTrajectory, Trouble
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

Members = Iterator[tuple[str, bytes]]


def imported(archive: bytes, done: tuple[str, ...] = ()) -> list[ReadTrajectory]:
    source = source_of_bytes("upload", archive)
    importer = importer_for(source, Limits())
    assert importer.name is Format.RUN_DIRECTORY
    return list(importer.read(source, Limits(), done=done))


def run(plan: object, *experiments: str) -> bytes:
    """A zip with this plan and a small trajectory for each experiment."""
    document = json.dumps(trajectory(wrote("a"))).encode()
    named = [(f"trajectories/{name}.json", document) for name in experiments]
    return as_zip(iter([*named, ("plan.json", json.dumps(plan).encode())]))


def item(**changes: object) -> dict[str, object]:
    whole = {"num_trajectories": 1, "num_turns": 8, "prompt_tag": "a", "definition": "gemm"}
    return {**whole, **changes}


@pytest.mark.parametrize("packed", [as_zip, as_tar_gz])
def test_every_trajectory_is_read_from_any_archive(packed: Callable[[Members], bytes]) -> None:
    found = imported(packed(members(SMALL)))

    assert [one.member for one in found] == [
        "demo-run/trajectories/exp_000.json",
        "demo-run/trajectories/exp_001.json",
        "demo-run/trajectories/exp_002.json",
    ]
    assert [one.place for one in found] == [
        Place(0, 0, "hopper-no-hint"),
        Place(1, 0, "hopper-00"),
        Place(2, 0, "hopper-05"),
    ]
    assert {one.layout for one in found} == {Layout(prompts=3, trajectories=1, turns=2)}
    assert {one.target for one in found} == {Target.HOPPER}
    assert [len(one.turns) for one in found] == [2, 2, 2]
    assert all(one.problems == () for one in found)
    assert found[1].turns[1].kernel == run_directories.kernel(SMALL, 1, 1)


def test_the_plan_may_stand_behind_the_trajectories() -> None:
    backwards = reversed(list(members(SMALL)))

    found = imported(as_tar_gz(backwards))

    assert [one.place.prompt for one in found] == [2, 1, 0]


def test_the_paper_layout_numbers_four_trajectories_of_each_of_three_prompts() -> None:
    shape = RunShape(trajectories=12, turns=1, kernel_characters=100, pack_characters=100)

    found = imported(as_zip(members(shape)))

    assert [(one.place.prompt, one.place.number) for one in found] == [
        (0, 0),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 0),
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 0),
        (2, 1),
        (2, 2),
        (2, 3),
    ]
    assert {one.layout for one in found} == {Layout(prompts=3, trajectories=4, turns=1)}


def test_a_plan_with_one_item_an_experiment_is_numbered_by_prompt() -> None:
    plan = [
        item(exp_index=0, num_trajectories=2, prompt_tag="a"),
        item(exp_index=1, num_trajectories=2, prompt_tag="a"),
        item(exp_index=2, num_trajectories=2, prompt_tag="b"),
        item(exp_index=3, num_trajectories=2, prompt_tag="b"),
    ]

    found = imported(run({"plan": plan}, "exp_000", "exp_001", "exp_002", "exp_003"))

    assert [one.place for one in found] == [
        Place(0, 0, "a"),
        Place(0, 1, "a"),
        Place(1, 0, "b"),
        Place(1, 1, "b"),
    ]


def test_a_plan_without_indices_counts_on() -> None:
    plan = [item(num_trajectories=2, prompt_tag="a"), item(num_trajectories=1, prompt_tag="b")]

    found = imported(run({"plan": plan}, "exp_000", "exp_001", "exp_002"))

    assert [one.place for one in found] == [Place(0, 0, "a"), Place(0, 1, "a"), Place(1, 0, "b")]


def test_prompts_are_numbered_for_each_problem() -> None:
    plan = [
        item(exp_index=0, definition="gemm", prompt_tag="a"),
        item(exp_index=1, definition="mha", prompt_tag="b"),
        item(exp_index=2, definition="mha", prompt_tag="c"),
    ]

    found = imported(run({"plan": plan}, "exp_000", "exp_001", "exp_002"))

    assert [(one.problem, one.place.prompt) for one in found] == [
        ("gemm", 0),
        ("mha", 0),
        ("mha", 1),
    ]


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param({}, id="no list"),
        pytest.param({"plan": "x"}, id="a list as text"),
        pytest.param({"plan": [7, None]}, id="items that are none"),
        pytest.param({"plan": [item(exp_index=50)]}, id="another experiment"),
        pytest.param({"plan": [item(exp_index=-1, num_trajectories="9")]}, id="no numbers"),
    ],
)
def test_an_experiment_that_no_plan_places_is_named_and_read(plan: object) -> None:
    (found,) = imported(run(plan, "exp_007"))

    assert kernels(found) == ["a"]
    assert found.place == Place(0, 7)
    assert Trouble.NO_PLACE in troubles(found)


def test_a_plan_of_another_problem_than_was_evaluated_is_named() -> None:
    shape = RunShape(1, 1, 100, 100)
    documents = dict(members(shape))
    documents["demo-run/plan.json"] = json.dumps({"plan": [item(exp_index=0)]}).encode()

    (found,) = imported(as_zip(iter(documents.items())))

    assert found.problem == run_directories.GEMM
    assert troubles(found) == [Trouble.CONTRADICTION]


def test_a_success_kernel_that_is_not_the_one_in_the_reply_is_named() -> None:
    documents = dict(members(SMALL))
    documents["demo-run/success/exp_001/kernel_v1.cu"] = b"// swapped\n"

    found = imported(as_zip(iter(documents.items())))

    assert [troubles(one) for one in found] == [[], [Trouble.OTHER_KERNEL_IN_SUCCESS], []]
    assert found[1].turns[1].kernel == run_directories.kernel(SMALL, 1, 1)
    assert found[1].problems[0].where == "exp_001, turn 2"


@pytest.mark.parametrize(
    "written", [lambda text: text.strip(), lambda text: text.replace("\n", "\r\n")]
)
def test_white_space_that_a_harness_changes_makes_no_other_kernel(
    written: Callable[[str], str],
) -> None:
    documents = dict(members(SMALL))
    source = written(run_directories.kernel(SMALL, 1, 1))
    documents["demo-run/success/exp_001/kernel_v1.cu"] = source.encode()

    found = imported(as_zip(iter(documents.items())))

    assert [troubles(one) for one in found] == [[], [], []]


def test_an_import_goes_on_where_it_stopped() -> None:
    done = ("demo-run/trajectories/exp_000.json", "demo-run/trajectories/exp_002.json")

    found = imported(as_zip(members(SMALL)), done)

    assert [one.member for one in found] == ["demo-run/trajectories/exp_001.json"]


def test_two_runs_in_one_archive_keep_their_own_plans() -> None:
    other = RunShape(trajectories=3, turns=1, kernel_characters=100, pack_characters=50, root="b/")
    both = [*members(SMALL), *members(other)]

    found = imported(as_zip(iter(both)))

    assert [one.layout.turns for one in found] == [2, 2, 2, 1, 1, 1]


def test_one_file_that_is_no_trajectory_is_named_and_the_rest_is_read() -> None:
    documents = dict(members(SMALL))
    documents["demo-run/trajectories/exp_001.json"] = b'{"note": "to do"}'

    found = imported(as_zip(iter(documents.items())))

    assert [troubles(one) for one in found] == [[], [Trouble.NOT_A_TRAJECTORY], []]


@pytest.mark.parametrize(
    ("status", "ending"), [("api_failed", Ending.STOPPED), ("success", Ending.UNKNOWN)]
)
def test_what_a_trajectory_does_not_say_of_itself_is_in_the_summary(
    status: str, ending: Ending
) -> None:
    result = {"exp_name": "exp_000", "definition": "mha", "status": status}
    archive = as_zip(
        iter(
            [
                ("trajectories/exp_000.json", json.dumps(trajectory(wrote("a"), info={})).encode()),
                ("summary.json", json.dumps({"results": [result]}).encode()),
            ]
        )
    )

    (found,) = imported(archive)

    assert (found.problem, found.ending) == ("mha", ending)


def test_a_success_of_a_turn_that_was_never_taken_is_named() -> None:
    documents = dict(members(SMALL))
    record = json.dumps([{"version": 1, "turn": 9}]).encode()
    documents["demo-run/success/exp_001/record.json"] = record

    found = imported(as_zip(iter(documents.items())))

    assert [troubles(one) for one in found] == [[], [Trouble.OTHER_KERNEL_IN_SUCCESS], []]


def test_items_of_a_plan_may_stand_in_any_order() -> None:
    plan = [
        item(exp_index=2, num_trajectories=2, prompt_tag="b"),
        item(exp_index=0, num_trajectories=2, prompt_tag="a"),
    ]

    found = imported(run({"plan": plan}, "exp_001", "exp_003"))

    assert [one.place for one in found] == [Place(0, 1, "a"), Place(1, 1, "b")]


def test_a_member_that_is_no_json_refuses_the_archive_and_is_named() -> None:
    documents = dict(members(SMALL))
    documents["demo-run/trajectories/exp_001.json"] = b'{"trajectory_format": "mini-swe'

    with pytest.raises(Refused) as caught:
        imported(as_zip(iter(documents.items())))

    assert caught.value.member == "demo-run/trajectories/exp_001.json"


def test_a_plan_of_too_many_items_is_refused() -> None:
    with pytest.raises(Refused, match="more than 10000 entries"):
        imported(run({"plan": [{}] * 10_001}, "exp_000"))


def test_more_runs_than_anybody_makes_are_refused() -> None:
    plans = ((f"{number}/plan.json", b"{}") for number in range(65))

    with pytest.raises(Refused, match="more than 64 run directories"):
        imported(as_zip(plans))


def test_a_plan_item_that_covers_millions_of_experiments_costs_nothing() -> None:
    plan = {"plan": [item(num_trajectories=2**31 - 1) for _ in range(10_000)]}

    (found,) = imported(run(plan, "exp_000"))

    assert found.place.prompt == 0
