"""A run directory as MiniPTXAgent leaves one: one prompt, a few trajectories, with kernels that are given."""

import io
import json
import zipfile
from collections.abc import Sequence

_GENCODE = "arch=compute_90a,code=sm_90a"
_WORKLOAD = "94920358-01a8-4c5b-9209-3103fd490e94"


def run_directory(problem: str, trajectories: Sequence[Sequence[str]]) -> bytes:
    """A zip; each trajectory has the kernels of its turns."""
    turns = max(len(kernels) for kernels in trajectories)
    plan = {
        "exp_index": 0,
        "num_trajectories": len(trajectories),
        "num_turns": turns,
        "prompt_tag": "hopper-00",
        "definition": problem,
    }
    results = [{"exp_name": f"exp_{n:03}", "status": "success"} for n in range(len(trajectories))]
    members: dict[str, object] = {
        "plan.json": {"config": {"name": "small"}, "plan": [plan]},
        "summary.json": {"total": len(trajectories), "results": results},
    }
    for number, kernels in enumerate(trajectories):
        members[f"trajectories/exp_{number:03}.json"] = _trajectory(problem, kernels)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"small-run/{name}", json.dumps(content))
    return out.getvalue()


def _trajectory(problem: str, kernels: Sequence[str]) -> dict[str, object]:
    messages: list[dict[str, object]] = [
        {"role": "system", "content": "You write kernels."},
        {"role": "user", "content": "Task"},
    ]
    for kernel in kernels:
        reply = f"Here.\n```cpp\n{kernel}```\n"
        usage = {"prompt_tokens": 1000, "completion_tokens": 500}
        messages += [
            {
                "role": "assistant",
                "content": reply,
                "extra": {"response": {"usage": usage}, "cost": 0.1},
            },
            _feedback(problem),
        ]
    config = {
        "agent": {"step_limit": len(kernels)},
        "model": {"model_name": "openai/demo-model"},
        "environment": {"env": {"NVCC_GENCODE": _GENCODE}},
    }
    return {
        "info": {"mini_version": "2.4.6", "exit_status": "LimitsExceeded", "config": config},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1.1",
    }


def _feedback(problem: str) -> dict[str, object]:
    evaluation = {
        "status": "PASSED",
        "environment": {"hardware": "NVIDIA H100 80GB HBM3"},
        "performance": {
            "latency_ms": 1.0,
            "reference_latency_ms": 0.8,
            "speedup_factor": 0.8,
        },
    }
    trace = {
        "definition": problem,
        "workload": {"uuid": _WORKLOAD},
        "evaluation": evaluation,
    }
    extra = {"event": "evaluation", "all_passed": True, "min_speedup": 0.8, "traces": [trace]}
    return {"role": "user", "content": "<output>...</output>", "extra": extra}
