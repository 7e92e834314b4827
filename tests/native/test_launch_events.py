"""Launches and function attributes as they are written down."""

import pytest
from recordings import Record

pytest_plugins = ("recording_fixtures",)
pytestmark = pytest.mark.toolchain


def test_a_launch_is_written_with_everything_it_was_asked_for(act: Record) -> None:
    recorded = act("plain", calls=1)
    a, b = (one["base"].to_bytes(8, "little").hex() for one in recorded.of("buffer")[:2])
    assert recorded.in_call(1) == [
        {
            "e": "launch",
            "function": "scale",
            "grid": [3, 2, 1],
            "block": [32, 4, 1],
            "shared": 1024,
            "stream": 1,
            "cooperative": False,
            "attributes": [],
            # pointer, pointer, int 7, four bytes that no parameter covers, struct
            "parameters": a + b + "07000000" + "00000000" + "0000000000000000",
        }
    ]


def test_the_null_stream_is_number_0(act: Record) -> None:
    (launch,) = act("null_stream", calls=1).of("launch")
    assert launch["stream"] == 0


def test_attributes_that_a_plan_may_hold_are_kept(act: Record) -> None:
    (launch,) = act("every_attribute", calls=1).of("launch")
    assert launch["cooperative"] is True
    assert launch["attributes"] == [
        {"id": 4, "value": [2, 1, 1]},
        {"id": 5, "value": [1]},
        {"id": 6, "value": [1]},
        {"id": 11, "value": [4, 1, 1]},
    ]


def test_attributes_that_change_no_result_are_dropped_by_name(act: Record) -> None:
    recorded = act("dropped_attributes", calls=3)
    assert [one["kind"] for one in recorded.of("remark")] == [
        "dropped_priority",
        "access_policy_dropped",
        "mem_sync_domain_dropped",
        "launch_carveout_dropped",
    ]
    assert [one["attributes"] for one in recorded.of("launch")] == [[], [], []]


@pytest.mark.parametrize(
    ("action", "word"),
    [
        ("programmatic_event", "programmatic event"),
        ("completion_event", "launch-completion event"),
        ("device_updatable", "device-updatable node"),
    ],
)
def test_attributes_that_would_change_the_meaning_are_refused(
    act: Record, action: str, word: str
) -> None:
    call, why = act(action).refused
    assert call == "cudaLaunchKernelExC"
    assert word in why


def test_cooperative_clusters_need_to_know_how_processors_share_them(act: Record) -> None:
    assert len(act("cooperative_clusters", calls=1).of("launch")) == 1
    assert act("cooperative_clusters", product="b200").refused == (
        "cudaLaunchKernelExC",
        "cooperative with clusters: how the processors of the device share clusters is not in its table",
    )


def test_four_stages_fail_by_the_attribute_and_three_are_recorded(act: Record) -> None:
    assert act("four_stages_then_three", calls=1).in_call(1)[0] == {
        "e": "attribute",
        "function": "scale",
        "attribute": 8,
        "value": 196608,
    }
    (launch,) = act("four_stages_then_three", calls=1).of("launch")
    assert launch["shared"] == 196608


def test_a_failed_launch_is_not_written_and_sets_the_last_error_once(act: Record) -> None:
    recorded = act("failed_launch", calls=1)
    assert recorded.of("launch") == []
    assert recorded.told == [1, 1, 0]


def test_only_accepted_attributes_are_written(act: Record) -> None:
    assert [
        (one["attribute"], one["value"])
        for one in act("attributes_of_functions", calls=1).of("attribute")
    ] == [(9, -1), (14, 1)]


def test_a_kernel_of_another_image_is_refused_by_name(act: Record) -> None:
    assert act("stranger").refused == (
        "cudaLaunchKernel",
        "stranger is not a kernel of the cubin that the judge compiled",
    )


def test_an_address_that_is_no_kernel_is_an_invalid_handle(act: Record) -> None:
    assert act("no_kernel", calls=1).told == [400]


def test_an_argument_that_cannot_be_read_is_an_invalid_value(act: Record) -> None:
    assert act("unreadable_argument", calls=1).told == [1]


def test_a_parameter_block_of_the_driver_is_taken_whole(act: Record) -> None:
    recorded = act("driver_launch", calls=1)
    a = recorded.of("buffer")[0]["base"].to_bytes(8, "little").hex()
    (launch,) = recorded.of("launch")
    assert launch["grid"] == [2, 1, 1]
    assert launch["parameters"] == a + "0000000000000000" + "09000000" + "00" * 12


def test_a_parameter_block_that_is_too_short_is_an_invalid_value(act: Record) -> None:
    assert act("short_driver_block", calls=1).told == [1]


def test_the_per_thread_stream_is_refused(act: Record) -> None:
    assert act("per_thread_stream").refused[0] == "cudaLaunchKernel"


def test_a_stream_that_nobody_made_is_an_invalid_handle(act: Record) -> None:
    assert act("foreign_stream", calls=1).told == [400]


def padded(act: Record, **how: int) -> list[tuple[str, str, str]]:
    """Mode, padding and count of a struct from the heap and of one from the stack."""
    launches = act("padding", calls=1, **how).of("launch")
    structs = [one["parameters"][48:64] for one in launches]
    return [(one[:2], one[2:8], one[8:]) for one in structs]


def test_padding_is_the_same_in_the_compared_pair_and_varies_with_the_fill(act: Record) -> None:
    heap, stack = padded(act, process=0)
    assert (heap[0], heap[2]) == ("01", "02000000")
    assert (stack[0], stack[2]) == ("03", "04000000")
    assert padded(act, process=1) == [heap, stack]
    others = [padded(act, fixed=False, fill=fill) for fill in (0x5B, 0x5C)]
    assert len({one[1] for one, _ in others}) == 2
    assert len({one[1] for _, one in others}) == 2
