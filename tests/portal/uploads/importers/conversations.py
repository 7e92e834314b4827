"""Small trajectories of mini-swe-agent 1.1 made by hand, to be changed by each test in one place."""

import json
from collections.abc import Sequence

from portal.uploads.importers.mini_swe_agent import read_document
from portal.uploads.importers.records import ReadTrajectory
from portal.uploads.reading.limits import Limits

GEMM = "gemm_n7168_k5120"
GEMM_WORKLOAD = "94920358-01a8-4c5b-9209-3103fd490e94"
HOPPER = "arch=compute_90a,code=sm_90a"


def kernel(mark: str) -> str:
    return f"// {mark}\n__global__ void k() {{}}\nTVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"


def said(text: str, **extra: object) -> dict[str, object]:
    return {"role": "assistant", "content": text, "extra": {"actions": [], **extra}}


def wrote(mark: str, **extra: object) -> dict[str, object]:
    """A reply with one kernel that begins with this mark."""
    return said(f"Plan {mark}.\n```cpp\n{kernel(mark)}```\n", **extra)


def user(text: str = "Please go on.", **extra: object) -> dict[str, object]:
    return (
        {"role": "user", "content": text, "extra": extra}
        if extra
        else {"role": "user", "content": text}
    )


def trace(status: str, **changes: object) -> dict[str, object]:
    performance = {"latency_ms": 0.92, "reference_latency_ms": 0.747, "speedup_factor": 0.812}
    return {
        "definition": GEMM,
        "solution": "eval_kernel_1a2b3c4d",
        "workload": {
            "uuid": GEMM_WORKLOAD,
            "axes": {"M": 8192},
            "inputs": {"A": {"type": "random"}},
        },
        "evaluation": {
            "status": status,
            "log": "PASSED speedup: 9.999x",  # what a kernel may print
            "timestamp": "2026-09-01T00:00:00",
            "environment": {"hardware": "NVIDIA H100 80GB HBM3", "libs": {}},
            "correctness": {"max_absolute_error": 0.25},
            "performance": performance if status == "PASSED" else None,
        },
        **changes,
    }


def passed(speedup: float = 0.812) -> dict[str, object]:
    return user(
        "Evaluation results",
        event="evaluation",
        all_passed=True,
        min_speedup=speedup,
        target_met=False,
        traces=[trace("PASSED")],
    )


def failed(status: str = "INCORRECT_NUMERICAL") -> dict[str, object]:
    return user(
        "Evaluation FAILED: [M=8192] PASSED",  # no word of the text counts
        event="evaluation",
        all_passed=False,
        min_speedup=0.0,
        target_met=False,
        traces=[trace(status)],
    )


def trajectory(*messages: object, **changes: object) -> dict[str, object]:
    """The whole document: a system message, the task, and then these messages."""
    return {
        "info": {
            "model_stats": {"instance_cost": 0.42, "api_calls": 2},
            "mini_version": "2.4.6",
            "exit_status": "LimitsExceeded",
            "submission": "",
            "config": {
                "agent": {"step_limit": 8, "cost_limit": 0.0},
                "model": {
                    "model_name": "openai/demo-model",
                    "model_kwargs": {"drop_params": True, "reasoning_effort": "high"},
                },
                "environment": {"cwd": "/workspace", "env": {"NVCC_GENCODE": HOPPER}},
            },
        },
        "messages": [
            {"role": "system", "content": f"Write one file.\n```cpp\n{kernel('example')}```"},
            user(f"Make this fast.\n```cpp\n{kernel('task')}```"),
            *messages,
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        **changes,
    }


def read(
    document: object, *, member: str = "exp_000.json", limits: Limits | None = None
) -> ReadTrajectory:
    return read_document(json.dumps(document).encode(), member, limits or Limits())


def kernels(trajectory: ReadTrajectory) -> Sequence[str | None]:
    """The mark of each turn's kernel."""
    return [
        turn.kernel.partition("\n")[0].removeprefix("// ") if turn.kernel else None
        for turn in trajectory.turns
    ]


def troubles(trajectory: ReadTrajectory) -> list[str]:
    """The kinds of all named problems, in order."""
    turns = [problem.kind for turn in trajectory.turns for problem in turn.problems]
    return [*turns, *(problem.kind for problem in trajectory.problems)]
