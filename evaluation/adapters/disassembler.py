"""nvdisasm in a jail: a cubin goes in, machine code comes out or a reason why not."""

from dataclasses import dataclass

from evaluation.adapters.toolchain import NVDISASM, Toolchain
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.ports import Jail, JailCommand, JailFile, JailResult, Limits
from evaluation.core.scan.sass import LIMIT_JSON_BYTES, Disassembly, Unreadable, read_disassembly

LIMIT_CUBIN_BYTES = 64 << 20

_CUBIN = "/job/kernel.cubin"
# Measured: 60,000 instructions take 1.1 s and 125 MB; four times as many are allowed.
LIMITS = Limits(
    wall_seconds=300.0,  # processor time ends a hostile cubin; this ends our own trouble
    cpu_seconds=40,
    memory_bytes=2 << 30,
    file_bytes=0,
    scratch_bytes=1 << 20,
    processes=4,
    open_files=32,
    stdout_bytes=LIMIT_JSON_BYTES,
    stderr_bytes=16 << 10,
)
_CANNOT_START = frozenset((126, 127))


@dataclass(frozen=True, slots=True)
class Disassembler:
    """The jail must be allowed to show the toolchain."""

    jail: Jail
    toolchain: Toolchain

    def disassemble(self, cubin: bytes) -> Disassembly | Unreadable:
        """Disassemble a cubin of our own compile. Raise ToolFailure for our own faults only."""
        if len(cubin) > LIMIT_CUBIN_BYTES:
            return Unreadable(f"the cubin is larger than {LIMIT_CUBIN_BYTES >> 20} MiB")
        result = self.jail.run(
            JailCommand(
                argv=(NVDISASM, "--emit-json", _CUBIN),
                limits=LIMITS,
                binds=self.toolchain.tool_binds(),
                files=(JailFile(_CUBIN, cubin),),
                environment=(("LC_ALL", "C"),),
            )
        )
        reason = _why_unreadable(result)
        if reason:
            return Unreadable(reason)
        try:
            return read_disassembly(result.stdout.content)
        except InvalidInput as why:
            # The key may be long but is ours: names of places in the document, never the author's words.
            return Unreadable(
                f"the disassembly breaks its format: {why.key or 'document'}: {why.rule}"
            )


def _why_unreadable(result: JailResult) -> str:
    if result.timed_out:
        raise ToolFailure("nvdisasm got too little processor time", action="the host is overloaded")
    if result.cpu_exhausted:
        return f"nvdisasm needs more than {LIMITS.cpu_seconds} s of computing for it"
    if result.memory_exhausted:
        return f"nvdisasm needs more than {LIMITS.memory_bytes >> 30} GiB of memory for it"
    if result.stdout.dropped or result.stdout.tail:
        return f"its disassembly is larger than {LIMIT_JSON_BYTES >> 20} MiB"
    if result.exit_code in _CANNOT_START:
        said = result.stderr.content.decode("ascii", errors="replace").strip()[:200]
        raise ToolFailure(f"nvdisasm does not start: {said}", action="run bin/setup")
    if not result.clean:
        return "nvdisasm fails on it"
    return ""
