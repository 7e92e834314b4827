"""The judge's own kernels (evaluation/native/gpu), compiled in a jail for a target and kept by what went in."""

import hashlib
import importlib.resources
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from evaluation.adapters.kept import COMPILE_ENVIRONMENT, kept
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile import build_steps
from evaluation.core.compile.build_steps import HeaderSet, Part, Step
from evaluation.core.compile.diagnostics import clean
from evaluation.core.errors import ToolFailure
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits, Output
from evaluation.core.verdict import Target

_KIND: Final = b"ptxboard-trusted-1"
_SUFFIXES: Final = (".cu", ".cuh")
_MAIN: Final = "trusted.cu"
_CUBIN: Final = Output("cubin", build_steps.FIRST_RESULT_DESCRIPTOR, limit_bytes=8 << 20)
_REPORT: Final = Output("steps", build_steps.STEP_REPORT_DESCRIPTOR, limit_bytes=4096)
LIMITS: Final = Limits(
    wall_seconds=300.0,  # three seconds on an idle machine
    cpu_seconds=120,
    memory_bytes=4 << 30,
    file_bytes=64 << 20,
    scratch_bytes=256 << 20,
    processes=32,
    open_files=64,
    stdout_bytes=1024,
    stderr_bytes=64 * 1024,
)
_ENVIRONMENT: Final = (*COMPILE_ENVIRONMENT, ("NVVMIR_LIBRARY_DIR", "/toolchain/nvvm/libdevice"))


@dataclass(frozen=True, slots=True)
class TrustedCubins:
    """Builds in ``jail`` and keeps in ``directory``; two workers at once build once."""

    jail: Jail
    toolchain: Toolchain
    directory: Path

    def built(self, target: Target) -> bytes:
        """Return the image for ``target``. Raise ToolFailure when it does not compile."""
        path = self.directory / f"{self._key(target)}.trusted"
        return kept(path, _KIND, lambda: self._build(target))

    def _key(self, target: Target) -> str:
        digest = hashlib.sha256(self.toolchain.identity.encode())
        script = _part(target, self.toolchain.gnu_version).script()
        for name, content in ((target.value, script.encode()), *trusted_sources()):
            digest.update(f"{name} {len(content)}\n".encode())
            digest.update(content)
        return digest.hexdigest()

    def _build(self, target: Target) -> bytes:
        part = _part(target, self.toolchain.gnu_version)
        sources = trusted_sources()
        result = self.jail.run(
            JailCommand(
                argv=("/usr/bin/bash", "/w/steps", str(LIMITS.cpu_seconds)),
                limits=LIMITS,
                binds=self.toolchain.compile_binds(),
                files=(
                    *(JailFile(_place(name), content) for name, content in sources),
                    JailFile(build_steps.MODULE_ID, build_steps.MODULE_ID_TEXT),
                    JailFile("/w/steps", part.script().encode()),
                ),
                outputs=(_CUBIN, _REPORT),
                environment=_ENVIRONMENT,
            )
        )
        cubin = result.outputs["cubin"]
        if not result.clean or not cubin.content or cubin.dropped:
            raise ToolFailure(
                f"the judge's own kernels do not compile: {clean(result.stderr.content)[-2000:]}",
                action="run ptxboard doctor; evaluation/native/gpu is written for the pinned toolchain",
            )
        return cubin.content


def trusted_sources() -> tuple[tuple[str, bytes], ...]:
    """Names and bytes of everything the image is made of, in order of names."""
    folder = importlib.resources.files("evaluation") / "native/gpu"
    return tuple(
        (entry.name, entry.read_bytes())
        for entry in sorted(folder.iterdir(), key=lambda one: one.name)
        if entry.name.endswith(_SUFFIXES)
    )


def _place(name: str) -> str:
    """Where a source lies in the jail; the steps want the first one under a fixed name."""
    return build_steps.SOURCE if name == _MAIN else f"/w/{name}"


def _part(target: Target, gnu_version: int) -> Part:
    """A candidate's device steps, then the assembler on the PTX they left.

    Without line numbers: their table holds when each file was written, and each build writes them anew.
    """
    front = build_steps.device_front(target, HeaderSet.SLIM, gnu_version=gnu_version)
    steps = (replace(step, argv=_without_lines(step.argv)) for step in front.steps)
    assemble = (
        *("/toolchain/bin/ptxas", f"-arch={target.sm}", "-m64"),
        *("kernel.ptx", "-o", "kernel.cubin"),
    )
    return Part("trusted", (*steps, Step("assemble", assemble)), ("kernel.cubin",))


def _without_lines(argv: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in argv if word != "-generate-line-info")
