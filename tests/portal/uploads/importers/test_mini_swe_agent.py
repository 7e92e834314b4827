"""A mini-swe-agent trajectory: turns, results from structure only, and what is named when it is not understood."""

import json
from datetime import UTC, datetime

import pytest
from conversations import (
    GEMM,
    GEMM_WORKLOAD,
    failed,
    kernel,
    kernels,
    passed,
    read,
    said,
    trace,
    trajectory,
    troubles,
    user,
    wrote,
)

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.mini_swe_agent import read_document
from portal.uploads.importers.records import (
    Ending,
    Format,
    Layout,
    Proposed,
    ReadReported,
    Trouble,
    Usage,
)
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

KEY = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4" * 2


def test_a_trajectory_says_who_wrote_it_for_what_and_how_it_ended() -> None:
    found = read(trajectory(wrote("a"), failed(), wrote("b"), passed()))

    assert found.proposed == Proposed(
        model="openai/demo-model",
        harness="mini-swe-agent",
        harness_version="2.4.6",
        reasoning_effort="high",
        language=Language.CUDA,
    )
    assert (found.problem, found.target, found.device) == (GEMM, Target.HOPPER, "H100")
    assert found.layout == Layout(turns=8)
    assert found.ending is Ending.TURNS_USED
    assert found.problems == ()
    assert kernels(found) == ["a", "b"]


def test_results_are_those_of_the_structure() -> None:
    found = read(trajectory(wrote("a"), failed(), wrote("b"), passed()))

    first, second = found.turns
    assert first.reported == ReadReported(
        "INCORRECT_NUMERICAL", correct=False, device="H100", workloads=(GEMM_WORKLOAD,)
    )
    assert second.reported == ReadReported(
        "PASSED",
        correct=True,
        speedup=0.812,
        latency_us=920.0,
        reference_us=747.0,
        device="H100",
        workloads=(GEMM_WORKLOAD,),
    )


def test_a_kernel_keeps_its_exact_text() -> None:
    found = read(trajectory(wrote("a"), passed()))

    assert found.turns[0].kernel == kernel("a")
    assert found.turns[0].reply == f"Plan a.\n```cpp\n{kernel('a')}```\n"


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param(
            {
                "prompt_tokens": 25000,
                "completion_tokens": 9000,
                "completion_tokens_details": {"reasoning_tokens": 7000},
            },
            Usage(25000, 9000, 7000, 0.2),
            id="as most providers count",
        ),
        pytest.param(
            {
                "input_tokens": 100,
                "output_tokens": 50,
                "output_tokens_details": {"thinking_tokens": 0},
            },
            Usage(100, 50, 0, 0.2),
            id="as Anthropic counts",
        ),
    ],
)
def test_tokens_and_cost_are_read(usage: dict[str, object], expected: Usage) -> None:
    reply = wrote("a", cost=0.2, timestamp=1789000000.5, response={"usage": usage, "id": "x"})

    (turn,) = read(trajectory(reply, passed())).turns

    assert turn.usage == expected
    assert turn.at == datetime(2026, 9, 10, 0, 26, 40, 500000, tzinfo=UTC)
    assert turn.problems == ()


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([wrote("a"), failed(), user(), wrote("b"), passed()], id="user after"),
        pytest.param([wrote("a"), user(), failed(), wrote("b"), passed()], id="user before"),
        pytest.param(
            [{"role": "system", "content": "x"}, wrote("a"), failed(), wrote("b"), passed()],
            id="another system message",
        ),
        pytest.param(
            [
                wrote("a"),
                {"role": "tool", "content": kernel("t")},
                failed(),
                wrote("b"),
                passed(),
                {"role": "exit", "content": ""},
            ],
            id="tool and exit",
        ),
        pytest.param(
            [wrote("a"), failed(), "junk", 7, None, wrote("b"), passed()], id="no objects"
        ),
        pytest.param(
            [wrote("a"), failed(), {"role": ["user"]}, wrote("b"), passed()], id="a role of no text"
        ),
    ],
)
def test_what_stands_between_shifts_no_turn(messages: list[object]) -> None:
    found = read(trajectory(*messages))

    assert kernels(found) == ["a", "b"]
    assert [turn.reported and turn.reported.correct for turn in found.turns] == [False, True]


def test_a_reply_without_feedback_is_a_turn_whose_result_is_not_known() -> None:
    found = read(trajectory(wrote("a"), wrote("b"), passed(), wrote("c")))

    assert kernels(found) == ["a", "b", "c"]
    assert [turn.reported is not None for turn in found.turns] == [False, True, False]
    assert troubles(found) == [Trouble.NO_FEEDBACK, Trouble.NO_FEEDBACK]


def test_feedback_without_an_event_gives_no_result_whatever_its_text_says() -> None:
    found = read(trajectory(wrote("a"), user("[M=8192] PASSED — speedup: 0.812x")))

    assert found.turns[0].reported is None
    assert troubles(found) == [Trouble.FEEDBACK_WITHOUT_EVENT]


def test_of_two_results_the_first_counts() -> None:
    found = read(trajectory(wrote("a"), failed(), passed(), wrote("b"), passed()))

    assert [turn.reported and turn.reported.correct for turn in found.turns] == [False, True]
    assert troubles(found) == [Trouble.UNUSED_RESULT]


@pytest.mark.parametrize(
    ("event", "correct"),
    [("cublas_banned", False), ("test_failed", False), ("no_traces", None), ("write_failed", None)],
)
def test_other_events_are_the_status(event: str, correct: bool | None) -> None:
    (turn,) = read(trajectory(wrote("a"), user(event=event))).turns

    assert turn.event == event
    assert turn.reported == ReadReported(event, correct=correct)
    assert turn.kernel == kernel("a")


def test_a_reply_without_code_is_a_turn_without_a_kernel() -> None:
    (turn,) = read(trajectory(said("I need more time."), user(event="no_code"))).turns

    assert (turn.kernel, turn.missing) == (None, Missing.NO_CODE)
    assert turn.reported == ReadReported("no_code", correct=False)


def test_where_the_harness_found_no_code_no_kernel_is_taken() -> None:
    found = read(trajectory(said(f"```\n{kernel('a')}```"), user(event="no_code")))

    assert found.turns[0].missing is Missing.NO_CODE
    assert troubles(found) == [Trouble.NO_CODE_SAID]


def test_a_kernel_without_a_language_tag_is_taken_and_named() -> None:
    found = read(trajectory(said(f"```\n{kernel('a')}```"), passed()))

    assert kernels(found) == ["a"]
    assert troubles(found) == [Trouble.UNUSUAL_FENCE]


def test_a_kernel_that_is_too_large_is_named_and_the_rest_is_read() -> None:
    large = kernel("a") + "// " + "x" * 2000 + "\n"

    found = read(
        trajectory(said(f"```cpp\n{large}```"), failed(), wrote("b"), passed()),
        limits=Limits(kernel_bytes=2000),
    )

    assert [turn.missing for turn in found.turns] == [Missing.TOO_LARGE, None]
    assert f"{len(large)} bytes" in found.turns[0].missing_said


@pytest.mark.parametrize(
    ("reply", "missing"),
    [
        pytest.param("x" * 2_000_001, Missing.TOO_LARGE, id="characters"),
        pytest.param("```\n" * 1001, Missing.UNREADABLE, id="fences"),
    ],
)
def test_a_reply_that_nobody_writes_is_named_and_the_rest_is_read(
    reply: str, missing: Missing
) -> None:
    found = read(trajectory(said(reply), failed(), wrote("b"), passed()))

    assert [turn.missing for turn in found.turns] == [missing, None]


@pytest.mark.parametrize(
    ("feedback", "where"),
    [
        pytest.param(
            user(
                event="evaluation",
                all_passed=True,
                min_speedup=0.5,
                traces=[trace("INCORRECT_SHAPE")],
            ),
            Trouble.CONTRADICTION,
            id="all passed, and one did not",
        ),
        pytest.param(
            user(event="evaluation", all_passed=False, traces=[trace("PASSED")]),
            Trouble.CONTRADICTION,
            id="not all passed, and the only one did",
        ),
    ],
)
def test_a_result_that_contradicts_itself_is_not_known(
    feedback: dict[str, object], where: Trouble
) -> None:
    found = read(trajectory(wrote("a"), feedback))

    assert found.turns[0].reported is not None
    assert found.turns[0].reported.correct is None
    assert found.turns[0].reported.speedup is None
    assert troubles(found) == [where]


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"all_passed": "yes"}, id="a flag as text"),
        pytest.param({"min_speedup": "9"}, id="a number as text"),
        pytest.param({"min_speedup": -1}, id="a negative speed-up"),
        pytest.param({"traces": "PASSED"}, id="traces as text"),
        pytest.param({"traces": [trace("GREAT")]}, id="an unknown status"),
        pytest.param({"traces": [{"evaluation": None}]}, id="no status"),
        pytest.param({"traces": [7]}, id="a trace that is a number"),
    ],
)
def test_a_broken_field_is_named_and_never_guessed(changes: dict[str, object]) -> None:
    whole = {
        "event": "evaluation",
        "all_passed": True,
        "min_speedup": 0.8,
        "traces": [trace("PASSED")],
    }

    found = read(
        trajectory(
            wrote("a"),
            {"role": "user", "content": "", "extra": {**whole, **changes}},
            wrote("b"),
            passed(),
        )
    )

    assert kernels(found) == ["a", "b"]
    assert Trouble.BROKEN_FIELD in troubles(found)
    assert found.turns[1].problems == ()


def test_of_several_workloads_the_slowest_speedup_counts_and_no_latency() -> None:
    traces = [trace("PASSED"), trace("PASSED", workload={"uuid": "other"})]

    (turn,) = read(
        trajectory(
            wrote("a"), user(event="evaluation", all_passed=True, min_speedup=0.5, traces=traces)
        )
    ).turns

    assert turn.reported == ReadReported(
        "PASSED", correct=True, speedup=0.5, device="H100", workloads=(GEMM_WORKLOAD, "other")
    )


def test_evaluations_about_two_problems_name_none() -> None:
    other = user(event="evaluation", all_passed=True, traces=[trace("PASSED", definition="mha")])

    found = read(trajectory(wrote("a"), failed(), wrote("b"), other))

    assert found.problem == ""
    assert troubles(found) == [Trouble.SEVERAL_PROBLEMS]


@pytest.mark.parametrize(
    ("status", "ending"),
    [
        ("LimitsExceeded", Ending.TURNS_USED),
        ("Submitted", Ending.TARGET_MET),
        ("BadRequestError", Ending.STOPPED),
        ("", Ending.UNKNOWN),
        ("our_fault", Ending.STOPPED),
    ],
)
def test_an_ending_is_never_our_fault(status: str, ending: Ending) -> None:
    document = trajectory(wrote("a"), passed(), info={"exit_status": status})

    assert read(document).ending is ending


def test_a_triton_trajectory_is_told_by_its_replies() -> None:
    source = "import triton\n@triton.jit\ndef k(): pass\ndef run(a): pass\n"

    found = read(trajectory(said(f"```python\n{source}```"), passed()))

    assert found.proposed.language is Language.TRITON
    assert found.turns[0].kernel == source


def test_secrets_are_in_nothing_that_is_stored() -> None:
    reply = f'Key {KEY}.\n```cpp\nconst char *key = "{KEY}";\n{kernel("a")}```\n'
    document = trajectory(
        said(reply, response={"headers": {"authorization": f"Bearer {KEY}"}}), passed()
    )

    found = read(document)

    (turn,) = found.turns
    assert turn.missing is Missing.SCRUBBED
    assert turn.kernel is not None
    assert KEY not in turn.kernel + turn.reply
    assert found.document is not None
    assert KEY.encode() not in found.document.content
    assert json.loads(found.document.content)["trajectory_format"] == "mini-swe-agent-1.1"
    assert found.document.total == 3
    assert KEY not in repr(found)


def test_the_providers_key_in_the_configuration_is_removed_and_located() -> None:
    document = trajectory(wrote("a"), passed())
    document["info"] = {"config": {"model": {"model_kwargs": {"api_key": "whatever-it-is-42"}}}}

    found = read(document)

    assert found.document is not None
    assert [place.where for place in found.document.found] == [
        "info.config.model.model_kwargs.api_key"
    ]
    assert b"whatever-it-is-42" not in found.document.content
    assert found.turns[0].missing is None


def test_a_name_that_holds_a_key_is_scrubbed_too() -> None:
    document = trajectory(wrote("a"), passed())
    document["info"] = {"config": {"model": {"model_name": f"openai {KEY}\n\x1b[31m" + "m" * 500}}}

    name = read(document).proposed.model

    assert KEY not in name
    assert name.isprintable()
    assert len(name) <= 200


def test_another_json_document_is_no_trajectory() -> None:
    found = read({"trajectory_format": "mini-swe-agent-2.0", "messages": []})

    assert found.turns == ()
    assert found.document is None
    assert troubles(found) == [Trouble.NOT_A_TRAJECTORY]


@pytest.mark.parametrize(
    "text", ['{"min_speedup": NaN}', '{"a": 1e999}', '{"a": 1, "a": 2}', "{}{}"]
)
def test_a_document_that_breaks_json_is_refused_whole(text: str) -> None:
    whole = json.dumps(trajectory(wrote("a"), passed()))[:-1] + f', "x": {text}}}'

    with pytest.raises(Refused) as caught:
        read_document(whole.encode(), "exp_000.json", Limits())

    assert caught.value.member == "exp_000.json"


def test_more_turns_than_any_harness_takes_are_refused() -> None:
    with pytest.raises(Refused, match="more than 1000 turns"):
        read(trajectory(*(said("x") for _ in range(1001))))


def test_replies_that_take_too_much_memory_are_refused() -> None:
    with pytest.raises(Refused, match="take more than 48 MB"):
        read(trajectory(*(said("\U0001f600" + "x" * 2_000_000) for _ in range(8))))


def test_the_format_is_recognised_wherever_its_key_stands() -> None:
    source = source_of_bytes("upload", json.dumps(trajectory(wrote("a"), passed())).encode())

    importer = importer_for(source, Limits())

    assert importer.name is Format.MINI_SWE_AGENT
    assert [kernels(one) for one in importer.read(source, Limits())] == [["a"]]
    assert list(importer.read(source, Limits(), done={"upload"})) == []
