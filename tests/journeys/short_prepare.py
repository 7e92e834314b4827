"""A prepare worker with short waits whose tools follow a script: an app for ``celery -A short_prepare``.

JOURNEY_PACE is how many seconds a stage with tools takes.
"""

import hashlib
import json
import os
import time
from dataclasses import dataclass, replace

import short_times
from fake_adapters import FakeCompiler, FakeDisassembler, FakeInspector, fake_tools, recording
from sample_run import BUILT, CALLS, CUBIN, LIBRARY, NAMES, SASS, journal, sass
from scripted_kernels import case_of

from evaluation import tasks, worker
from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.workspace import Workspace
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem, argument_list
from evaluation.core.compile.build import Failed, FailureKind, Program
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.pipeline import Tools
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.record.record_subject import plan_arguments
from evaluation.core.scan.sass import Disassembly
from evaluation.core.verdict import Target

app = worker.app
_PACE_SECONDS = float(os.environ.get("JOURNEY_PACE", "0"))
_PLAIN = sass(
    "LDC.64 R2,c[0x0][0x210]",
    "LDC.64 R4,c[0x0][0x218]",
    "LDC.64 R6,c[0x0][0x220]",
    "LDC R8,c[0x0][0x228]",
    "FFMA R24,R2,R4,R6",
    "EXIT",
)


class _Compiler(FakeCompiler):
    def build(self, source: bytes, target: Target) -> Program:
        time.sleep(_PACE_SECONDS)
        case = case_of(source)
        if case is None or case.name == "does_not_build":
            return Failed(FailureKind.ERROR, "device", HeaderSet.SLIM, "error: by the script", 0.1)
        digest = hashlib.sha256(source).hexdigest()
        return replace(BUILT, cubin=f"case {case.name} of {digest}".encode())


class _Disassembler(FakeDisassembler):
    def disassemble(self, cubin: bytes) -> Disassembly:
        case = case_of(cubin)
        return SASS if case is not None and case.has_matrix_code else _PLAIN


@dataclass(frozen=True, slots=True)
class _Recorder:
    """Records the launches of the sample over the buffers of whatever problem is asked for."""

    calls: int = CALLS

    def record(
        self, library: bytes, *, problem: Problem, cubin: CubinFacts, device: Device, noise: int
    ) -> Recordings:
        time.sleep(_PACE_SECONDS)
        return Recordings(_journal(problem, 0), _journal(problem, 1), ())


def _journal(problem: Problem, process: int) -> RawRecording:
    sizes = [one.size for one in plan_arguments(argument_list(problem))]
    lines = [json.loads(line) for line in journal(process).splitlines()]
    for line in lines:
        if line["e"] == "buffer":
            line["size"] = sizes[line["argument"]]
    return recording(b"".join(json.dumps(line).encode() + b"\n" for line in lines))


def _tools(workspace: Workspace, *, cached: bool = True) -> Tools:
    tools = fake_tools(
        compiler=_Compiler(BUILT),
        inspector=FakeInspector(CUBIN, LIBRARY),
        disassembler=_Disassembler(SASS),
        recorder=_Recorder(),  # type: ignore[arg-type]  # the fake's own kind is named, the port is meant
        names=NAMES,
    )
    return replace(tools, artifacts=LocalArtifacts(workspace.artifacts))


short_times.put(tasks, prepare_tools=_tools)  # what a worker opens for its first job
