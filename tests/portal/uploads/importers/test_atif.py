"""Harbor's ATIF: an evaluation is a turn, its envelope the result, and a kernel counts by its hash alone."""

import hashlib
import json
from datetime import UTC, datetime

import pytest
from conversations import GEMM, GEMM_WORKLOAD, kernel, trace, troubles
from run_directories import as_tar_gz, as_zip

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.atif import read_atif
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.records import (
    Format,
    Proposed,
    ReadReported,
    ReadTrajectory,
    Trouble,
    Usage,
)
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

COMMAND = "ptxbench eval /workspace/kernel.cu --json"
SOURCE = kernel("a")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def envelope(source: str = SOURCE, /, **changes: object) -> str:
    whole = {
        "schema": "ptxbench.eval.v1",
        "evaluation_id": "ev_0",
        "definition": GEMM,
        "kernel_sha256": digest(source),
        "status": "PASSED",
        "all_passed": True,
        "min_speedup": 0.81,
        "compile_log": "ptxas info",
        "traces": [trace("PASSED")],
    }
    return json.dumps({**whole, **changes})


def call(command: str = COMMAND, *, name: str = "c1", **arguments: object) -> dict[str, object]:
    return {
        "tool_call_id": name,
        "function_name": "bash",
        "arguments": {"command": command, **arguments},
    }


def step(*calls: dict[str, object], answer: object = "", **changes: object) -> dict[str, object]:
    results = [{"source_call_id": one["tool_call_id"], "content": answer} for one in calls]
    return {
        "source": "agent",
        "message": "I evaluate.",
        "timestamp": "2026-09-01T12:00:00Z",
        "tool_calls": list(calls),
        "observation": {"results": results},
        "metrics": {"prompt_tokens": 1000, "completion_tokens": 30, "cost_usd": 0.25},
        **changes,
    }


def document(*steps: object, **changes: object) -> bytes:
    whole = {
        "schema_version": "ATIF-v1.7",
        "session_id": "demo",
        "agent": {"name": "mini-swe-agent", "version": "2.4.6", "model_name": "demo-model"},
        "steps": [{"step_id": 1, "source": "user", "message": "<instruction>"}, *steps],
        "final_metrics": {"total_steps": 2},
    }
    return json.dumps({**whole, **changes}).encode()


def read(*steps: object, beside: str = SOURCE) -> ReadTrajectory:
    return read_atif(document(*steps), "t.json", {digest(beside): beside}, Limits())


def test_an_evaluation_is_a_turn_with_the_kernel_of_its_hash() -> None:
    found = read(step(call(), answer=envelope()))

    assert found.proposed == Proposed("demo-model", "mini-swe-agent", "2.4.6")
    assert (found.problem, found.target, found.device) == (GEMM, Target.HOPPER, "H100")
    (turn,) = found.turns
    assert turn.kernel == SOURCE
    assert turn.event == "evaluation"
    assert turn.reply == "I evaluate."
    assert turn.at == datetime(2026, 9, 1, 12, 0, tzinfo=UTC)
    assert turn.reported == ReadReported(
        "PASSED",
        correct=True,
        speedup=0.81,
        latency_us=920.0,
        reference_us=747.0,
        device="H100",
        workloads=(GEMM_WORKLOAD,),
    )
    assert troubles(found) == []


def test_a_kernel_that_is_nowhere_is_a_missing_source() -> None:
    found = read(step(call(), answer=envelope("something else")))

    assert found.turns[0].missing is Missing.SOURCE_MISSING
    assert found.turns[0].reported is not None


def test_a_file_that_a_tool_call_wrote_whole_is_found_by_its_hash() -> None:
    first = kernel("first")
    writes = call("", name="w", path="kernel.cu", content=first)

    found = read(step(writes, call(), answer=envelope(first)), step(call(), answer=envelope()))

    assert [turn.kernel for turn in found.turns] == [first, SOURCE]


def test_tokens_between_two_evaluations_belong_to_the_second() -> None:
    found = read(
        step(call("ls")),
        step(call("nvcc kernel.cu")),
        step(call(), answer=envelope()),
        step(call(), answer=envelope(), metrics={"completion_tokens": 7}),
    )

    assert [turn.usage for turn in found.turns] == [
        Usage(3000, 90, None, 0.75),
        Usage(None, 7, None, None),
    ]
    assert found.turns[0].reply == "I evaluate.\n\nI evaluate.\n\nI evaluate."


@pytest.mark.parametrize(
    "command",
    [
        "cd /workspace && ptxbench eval kernel.cu --json",
        "ptxbench eval kernel.cu --json > out.json; cat out.json",
        "ptxbench eval --json kernel.cu 2>&1 | tee log",
        "timeout 300 /usr/local/bin/ptxbench eval kernel.cu --json",
        "set -e\nptxbench eval kernel.cu --json\n",
    ],
)
def test_the_command_may_stand_among_others(command: str) -> None:
    assert len(read(step(call(command), answer=envelope())).turns) == 1


@pytest.mark.parametrize(
    "command",
    [
        "ptxbench eval kernel.cu",
        "ptxbench list --json",
        "echo ptxbench-eval --json",
        "cat result.json",
        "myptxbench eval kernel.cu --json",
    ],
)
def test_another_command_is_no_turn_whatever_it_prints(command: str) -> None:
    found = read(step(call(command), answer=envelope()))

    assert found.turns == ()
    assert troubles(found) == [Trouble.NOT_A_TRAJECTORY]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("", id="nothing"),
        pytest.param(f"PASSED\n{envelope()}", id="text before the envelope"),
        pytest.param(envelope() + envelope(), id="two envelopes"),
        pytest.param('{"schema": "other"}', id="another schema"),
        pytest.param("[" * 100_000, id="a deep list"),
        pytest.param(envelope(min_speedup=1).replace("1", "NaN", 1), id="not a number"),
        pytest.param(["x", 7], id="parts that are no text"),
    ],
)
def test_an_output_that_is_no_envelope_gives_no_result(answer: object) -> None:
    found = read(step(call(), answer=answer))

    assert len(found.turns) == 1
    assert found.turns[0].reported is None
    assert found.turns[0].missing is Missing.SOURCE_MISSING
    assert troubles(found) == [Trouble.FEEDBACK_WITHOUT_EVENT]


def test_an_envelope_in_text_parts_is_read() -> None:
    found = read(step(call(), answer=[{"type": "text", "text": envelope()}]))

    assert troubles(found) == []


def test_the_answer_is_the_one_of_its_own_call() -> None:
    calls = [call("ls", name="c0"), call(name="c1")]
    results = [
        {"source_call_id": "c0", "content": envelope(status="TIMEOUT", all_passed=False)},
        {"source_call_id": "c1", "content": envelope()},
    ]

    found = read(step(*calls, observation={"results": results}))

    assert [turn.reported and turn.reported.status for turn in found.turns] == ["PASSED"]


@pytest.mark.parametrize(
    ("changes", "status", "correct"),
    [
        ({"status": "COMPILE_ERROR", "all_passed": False, "traces": []}, "COMPILE_ERROR", False),
        ({"status": "INFRA_ERROR", "all_passed": None, "traces": None}, "INFRA_ERROR", None),
        ({"all_passed": False, "traces": [trace("PASSED")]}, "PASSED", None),
    ],
)
def test_a_status_is_the_envelopes_own_word(
    changes: dict[str, object], status: str, correct: bool | None
) -> None:
    (turn,) = read(step(call(), answer=envelope(SOURCE, **changes))).turns

    assert turn.reported is not None
    assert (turn.reported.status, turn.reported.correct) == (status, correct)
    assert turn.kernel == SOURCE


def test_a_user_or_system_step_is_no_turn() -> None:
    found = read(step(call(), answer=envelope(), source="user"))

    assert found.turns == ()


@pytest.mark.parametrize("packed", [as_zip, as_tar_gz])
def test_trials_in_an_archive_are_read_with_the_kernels_beside_them(packed: object) -> None:
    assert callable(packed)
    triton = "import triton\n@triton.jit\ndef k(): pass\ndef run(a): pass\n"
    members = [
        ("job/t1/agent/trajectory.json", document(step(call(), answer=envelope()))),
        ("job/t2/agent/trajectory.json", document(step(call(), answer=envelope(triton)))),
        ("job/t1/kernel.cu", SOURCE.encode()),
        ("job/t2/artifacts/kernel.py", triton.encode()),
        ("job/t2/large.cu", b"x" * 300_000),
        ("job/t2/latin.cu", b"\xff\xfe"),
        ("job/t2/result.json", b"not read"),
    ]
    source = source_of_bytes("trial", packed(iter(members)))

    importer = importer_for(source, Limits())
    found = list(importer.read(source, Limits()))

    assert importer.name is Format.ATIF
    assert [one.turns[0].kernel for one in found] == [SOURCE, triton]
    assert [one.proposed.language for one in found] == [Language.CUDA, Language.TRITON]
    done = {"job/t1/agent/trajectory.json"}
    assert [one.member for one in importer.read(source, Limits(), done=done)] == [
        "job/t2/agent/trajectory.json"
    ]


def test_a_lone_trajectory_is_recognised_and_has_no_sources() -> None:
    source = source_of_bytes("x", document(step(call(), answer=envelope())))

    importer = importer_for(source, Limits())
    (found,) = importer.read(source, Limits())

    assert importer.name is Format.ATIF
    assert found.turns[0].missing is Missing.SOURCE_MISSING
    assert list(importer.read(source, Limits(), done={"x"})) == []


def test_more_kernels_than_can_be_held_are_refused() -> None:
    text = hashlib.shake_256(b"seed").hexdigest(125_000)
    many = [(f"t/k{number}.cu", text.encode()) for number in range(200)]
    archive = as_zip(iter([("t/agent/trajectory.json", document()), *many]))
    source = source_of_bytes("x", archive)

    with pytest.raises(Refused, match="more than 48 MB of kernels"):
        list(importer_for(source, Limits()).read(source, Limits()))


def test_a_secret_that_the_agent_printed_is_removed() -> None:
    key = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4" * 2

    found = read(step(call(), answer=envelope(), message=f"My key is {key}."))

    assert key not in repr(found)
    assert found.document is not None
    assert found.document.total == 1
