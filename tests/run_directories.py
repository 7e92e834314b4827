"""Run directories as MiniPTXAgent leaves them, of any number of trajectories, made one member at a time."""

import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GEMM = "gemm_n7168_k5120"
GEMM_WORKLOAD = "94920358-01a8-4c5b-9209-3103fd490e94"
HOPPER = "arch=compute_90a,code=sm_90a"
TAGS = ("hopper-no-hint", "hopper-00", "hopper-05")


@dataclass(frozen=True, slots=True)
class RunShape:
    """``trajectories`` in all, spread over the three prompts; sizes in characters. The defaults give about 300 kB each."""

    trajectories: int = 12
    turns: int = 8
    kernel_characters: int = 12_000
    pack_characters: int = 60_000
    root: str = "demo-run/"

    @property
    def of_each_prompt(self) -> int:
        return -(-self.trajectories // len(TAGS))


SMALL = RunShape(trajectories=3, turns=2, kernel_characters=200, pack_characters=100)


def members(shape: RunShape) -> Iterator[tuple[str, bytes]]:
    """Yield (name, content) in the order a directory has: the plan comes before most, the trajectories last."""
    yield f"{shape.root}plan.json", _json(plan(shape))
    yield f"{shape.root}summary.json", _json(summary(shape))
    for index in range(shape.trajectories):
        name = f"exp_{index:03}"
        yield f"{shape.root}logs/{name}.log", b"not read\n" * 100
        yield f"{shape.root}{name}/kernel.cu", b"// not read\n"
        version = shape.turns - 1
        yield f"{shape.root}success/{name}/kernel_v1.cu", kernel(shape, index, version).encode()
        yield f"{shape.root}success/{name}/record.json", _json([{"version": 1, "turn": version}])
    for index in range(shape.trajectories):
        yield f"{shape.root}trajectories/exp_{index:03}.json", _json(trajectory(shape, index))


def plan(shape: RunShape) -> dict[str, object]:
    items = [
        {
            "exp_index": prompt * shape.of_each_prompt,
            "num_trajectories": shape.of_each_prompt,
            "num_turns": shape.turns,
            "target_speedup": 1.2,
            "prompt_tag": tag,
            "definition": GEMM,
            "test_path": "tests/gemm.py",
        }
        for prompt, tag in enumerate(TAGS)
    ]
    return {"config": {"name": "demo"}, "plan": items}


def summary(shape: RunShape) -> dict[str, object]:
    results = [
        {"exp_index": index, "exp_name": f"exp_{index:03}", "status": "success"}
        for index in range(shape.trajectories)
    ]
    return {"total": shape.trajectories, "results": results}


def kernel(shape: RunShape, index: int, turn: int) -> str:
    """Make the source of one turn; no two are alike, and they compress about as well as code does."""
    words = hashlib.shake_128(f"{index}/{turn}".encode()).hexdigest(shape.kernel_characters // 8)
    lines = (
        f"    acc[{words[at : at + 4]}] = fmaf(tile[{words[at + 4 : at + 8]}], scale, acc[{words[at : at + 2]}]);\n"
        for at in range(0, len(words), 16)
    )
    return (
        f"// trajectory {index}, turn {turn}\n__global__ void k() {{\n{''.join(lines)}}}\n"
        "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"
    )


def trajectory(shape: RunShape, index: int) -> dict[str, object]:
    pack = "PTX knowledge, templates and hints. " * (shape.pack_characters // 36)
    messages: list[dict[str, object]] = [
        {"role": "system", "content": pack},
        {"role": "user", "content": 'Task: {"name": "gemm"}'},
    ]
    for turn in range(shape.turns):
        messages += [_reply(shape, index, turn), _feedback(passed=turn == shape.turns - 1)]
    messages.append({"role": "exit", "content": "LimitsExceeded", "extra": {"submission": ""}})
    config = {
        "agent": {"system_template": pack, "step_limit": shape.turns},
        "model": {"model_name": "openai/demo-model", "model_kwargs": {"api_key": "k" * 20}},
        "environment": {"env": {"NVCC_GENCODE": HOPPER}},
    }
    return {
        "info": {"mini_version": "2.4.6", "exit_status": "LimitsExceeded", "config": config},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1.1",
    }


def _reply(shape: RunShape, index: int, turn: int) -> dict[str, object]:
    content = f"I will try again.\n```cpp\n{kernel(shape, index, turn)}```\n"
    usage = {
        "prompt_tokens": 25_000,
        "completion_tokens": 9_000,
        "completion_tokens_details": {"reasoning_tokens": 7_000},
    }
    choice = {"index": 0, "message": {"role": "assistant", "content": content, "tool_calls": None}}
    response = {"id": f"resp-{index}-{turn}", "choices": [choice], "usage": usage}
    extra = {"actions": [], "response": response, "cost": 0.2, "timestamp": 1_789_000_000.0 + turn}
    return {"role": "assistant", "content": content, "extra": extra}


def _feedback(*, passed: bool) -> dict[str, object]:
    performance = {"latency_ms": 0.92, "reference_latency_ms": 0.747, "speedup_factor": 0.812}
    evaluation = {
        "status": "PASSED" if passed else "COMPILE_ERROR",
        "log": "ptxas info: used 168 registers\n" * 20,
        "environment": {"hardware": "NVIDIA H100 80GB HBM3", "libs": {"torch": "2.13.0"}},
        "performance": performance if passed else None,
    }
    trace = {"definition": GEMM, "workload": {"uuid": GEMM_WORKLOAD}, "evaluation": evaluation}
    extra = {
        "raw_output": evaluation["log"],
        "event": "evaluation",
        "all_passed": passed,
        "min_speedup": 0.812 if passed else 0.0,
        "traces": [trace],
    }
    return {"role": "user", "content": "<output>...</output>", "extra": extra}


def as_zip(members: Iterator[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def as_tar_gz(members: Iterator[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    _write_tar_gz(out, members)
    return out.getvalue()


def write_tar_gz(path: Path, members: Iterator[tuple[str, bytes]]) -> None:
    """Write an archive of any size without holding it."""
    with path.open("wb") as out:
        _write_tar_gz(out, members)


def _write_tar_gz(
    out: io.BufferedWriter | io.BytesIO, members: Iterator[tuple[str, bytes]]
) -> None:
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as archive:
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
