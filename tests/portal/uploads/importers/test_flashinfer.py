"""FlashInfer-Bench solutions and traces: one turn a solution, its result from the traces that name it."""

import json

import pytest
from conversations import GEMM, GEMM_WORKLOAD, kernel, trace, troubles
from run_directories import as_zip

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language, Target
from portal.uploads.importers.detect import importer_for
from portal.uploads.importers.records import Format, Layout, ReadReported, ReadTrajectory, Trouble
from portal.uploads.importers.source import source_of_bytes
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused

SOURCE = kernel("a")


def solution(**changes: object) -> dict[str, object]:
    whole = {
        "name": "mine",
        "definition": GEMM,
        "author": "Demo 1",
        "spec": {
            "language": "cuda",
            "target_hardware": ["NVIDIA H100"],
            "entry_point": "kernel.cu::run",
            "binding": "tvm-ffi",
        },
        "sources": [{"path": "kernel.cu", "content": SOURCE}],
        "description": "",
    }
    return {**whole, **changes}


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def imported(content: bytes, done: tuple[str, ...] = ()) -> list[ReadTrajectory]:
    source = source_of_bytes("upload", content)
    importer = importer_for(source, Limits())
    assert importer.name is Format.FLASHINFER
    return list(importer.read(source, Limits(), done=done))


def test_a_solution_is_one_turn() -> None:
    (found,) = imported(json.dumps(solution(), indent=1).encode())

    assert found.proposed.model == "Demo 1"
    assert (found.problem, found.target) == (GEMM, Target.HOPPER)
    assert found.layout == Layout(1, 1, 1)
    assert [(turn.kernel, turn.reported) for turn in found.turns] == [(SOURCE, None)]
    assert troubles(found) == []


def test_a_trace_set_joins_solutions_and_traces_by_name() -> None:
    workload: dict[str, object] = {
        "definition": GEMM,
        "solution": None,
        "workload": {"uuid": "w"},
        "evaluation": None,
    }
    archive = as_zip(
        iter(
            [
                ("set/solutions/gemm/mine.json", json.dumps(solution()).encode()),
                ("set/solutions/gemm/b.json", json.dumps(solution(name="b")).encode()),
                (
                    "set/traces/gemm.jsonl",
                    lines(
                        workload, trace("PASSED", solution="mine"), trace("TIMEOUT", solution="c")
                    ),
                ),
                ("set/definitions/gemm.json", b"not read"),
            ]
        )
    )

    found = imported(archive)

    assert [one.member for one in found] == [
        "set/solutions/gemm/mine.json",
        "set/solutions/gemm/b.json",
        f"upload#{GEMM}/c",
    ]
    assert found[0].turns[0].reported == ReadReported(
        "PASSED",
        correct=True,
        speedup=0.812,
        latency_us=920.0,
        reference_us=747.0,
        device="H100",
        workloads=(GEMM_WORKLOAD,),
    )
    assert found[0].device == "H100"
    assert found[1].turns[0].reported is None
    assert found[2].turns[0].missing is Missing.SOURCE_MISSING
    assert [one.member for one in imported(archive, (found[0].member, found[2].member))] == [
        "set/solutions/gemm/b.json"
    ]


@pytest.mark.parametrize("count", [1, 2])
def test_traces_alone_have_results_and_no_source(count: int) -> None:
    content = lines(*[trace("INCORRECT_DTYPE", solution="mine") for _ in range(count)])

    (found,) = imported(content)

    (turn,) = found.turns
    assert turn.missing is Missing.SOURCE_MISSING
    assert turn.reported is not None
    assert (turn.reported.status, turn.reported.correct) == ("INCORRECT_DTYPE", False)
    assert len(turn.reported.workloads) == count


def test_a_trace_of_an_unknown_status_leaves_the_result_unknown() -> None:
    content = lines(trace("PASSED", solution="mine"), trace("FINE", solution="mine"))

    (found,) = imported(content)

    assert found.turns[0].reported is not None
    assert found.turns[0].reported.correct is None
    assert troubles(found) == [Trouble.BROKEN_FIELD]
    assert found.problems[0].where == "upload, line 2"


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"sources": []}, Missing.UNREADABLE),
        ({"sources": [{"content": "a"}, {"content": "b"}]}, Missing.UNREADABLE),
        ({"sources": [{"content": " "}]}, Missing.NO_CODE),
        ({"spec": {"language": "python"}}, Missing.UNREADABLE),
        ({"spec": {"language": "tilelang"}}, Missing.UNREADABLE),
        ({"spec": {"language": "cuda"}}, None),
    ],
)
def test_only_one_file_of_cuda_or_triton_is_a_kernel(
    changes: dict[str, object], missing: Missing | None
) -> None:
    (found,) = imported(json.dumps(solution(**changes)).encode())

    assert found.turns[0].missing is missing


def test_a_python_solution_may_be_a_triton_kernel() -> None:
    triton = "import triton\n@triton.jit\ndef k(): pass\ndef run(a): pass\n"
    changed = solution(spec={"language": "python"}, sources=[{"content": triton}])

    (found,) = imported(json.dumps(changed).encode())

    assert found.turns[0].kernel == triton
    assert found.proposed.language is Language.TRITON


def test_a_broken_line_is_refused_with_its_number() -> None:
    content = lines(trace("PASSED", solution="mine")) + b'{"definition": \n'

    with pytest.raises(Refused) as caught:
        imported(content)

    assert caught.value.member == "upload, line 2"


def test_more_lines_than_anybody_has_are_refused() -> None:
    with pytest.raises(Refused, match="more than 100000 lines"):
        imported(lines(trace("PASSED", solution="mine")) + b"\n" * 100_001)
