"""The binary rules: what the linked host library and the cubin show, judged without running either.

Contract rules refuse by name (R1, R4, R5, R6, R9, T5). Hints only raise signals (R1, R2), because the record jail is
the boundary, not this page.
"""

from typing import Final

from evaluation.core.binary import binary_tables as tables
from evaluation.core.binary.facts import CubinFacts, Import, LibraryFacts
from evaluation.core.library_names import ENTRY
from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.signal import Signal
from evaluation.core.verdict import Severity, Stage, Verdict

_MAX_REMARKS: Final = 40
_MAX_EVIDENCE: Final = 20
_MAX_NAME: Final = 200  # characters of an author's name in a sentence
_TVM_FFI_INSTEAD: Final = "use tensors, errors and the stream getter of TVM-FFI"

# Several rules may speak at once; the verdict is the first of these that any of them asks for.
_ORDER: Final = (
    Verdict.POLICY_REJECTED,
    Verdict.BUILD_FAILED,
    Verdict.NO_KERNEL,
    Verdict.NOT_RECORDABLE,
)
_Refusal = tuple[Verdict, Remark]


def judge_binaries(
    library: LibraryFacts, cubin: CubinFacts, shim_names: frozenset[str]
) -> StageReport:
    """Judge both products of a build; ``shim_names`` are the names that the recording shim defines.

    The report is of the build stage and carries a verdict, remarks, signals and facts; the build adds the rest. The
    size that the host gives to ``__cudaRegisterVar`` is only known while recording and is compared there (rule R9).
    """
    refusals = [
        *_needed(library),
        *_definitions(library, shim_names),
        *_exports(library),
        *_imports(library, shim_names),
        *_linking(library),
        *_device(cubin),
    ]
    verdicts = {verdict for verdict, _ in refusals}
    verdict = next((one for one in _ORDER if one in verdicts), None)
    remarks = sorted(refusals, key=lambda one: _ORDER.index(one[0]))
    shown = tuple(remark for _, remark in remarks[:_MAX_REMARKS])
    if len(remarks) > _MAX_REMARKS:
        shown += (Remark("more", f"and {len(remarks) - _MAX_REMARKS} more of the same kinds"),)
    return StageReport(
        stage=Stage.BUILD,
        headline=shown[0].message if shown else "the built files keep the rules",
        verdict=verdict,
        remarks=shown,
        signals=_signals(library),
        facts=(
            Fact("kernels", len(cubin.functions)),
            Fact("device_variables", len(cubin.symbols)),
            Fact("device_global", cubin.global_bytes, "bytes"),
            Fact("device_externs", " ".join(sorted(cubin.externs)[:_MAX_EVIDENCE])),
        ),
    )


def _clip(name: str) -> str:
    return name if len(name) <= _MAX_NAME else f"{name[:_MAX_NAME]}…"


def _needed(library: LibraryFacts) -> list[_Refusal]:
    refusals = [
        (
            Verdict.POLICY_REJECTED,
            Remark(
                "needed_library",
                f"the host library needs {_clip(name)}, which may not be linked",
                "use only the CUDA runtime and driver calls, TVM-FFI and the C and C++ standard library",
            ),
        )
        for name in library.needed
        if name not in tables.NEEDED_LIBRARIES
    ]
    if library.runpaths:
        places = ", ".join(_clip(one) for one in library.runpaths[:3])
        remark = Remark(
            "library_path",
            f"the host library brings its own library search path: {places}",
            "take the path out; libraries come from the judge alone",
        )
        refusals.append((Verdict.POLICY_REJECTED, remark))
    return refusals


def _definitions(library: LibraryFacts, shim_names: frozenset[str]) -> list[_Refusal]:
    return [
        (
            Verdict.POLICY_REJECTED,
            Remark(
                "own_shim_name",
                f"the host code defines {_clip(name)} itself, so the call would not be recorded",
                "give the function another name, or put it into a namespace",
            ),
        )
        for name in library.defined
        if name in shim_names or name.startswith(tables.TVM_FFI_PREFIX)
    ]


def _exports(library: LibraryFacts) -> list[_Refusal]:
    refusals = [
        (
            Verdict.BUILD_FAILED,
            Remark(
                "exported_name",
                f"the host library exports {_clip(name)}; only {ENTRY} may be exported",
                "take out symbol versions and export attributes",
            ),
        )
        for name in library.exports
        if name != ENTRY
    ]
    if ENTRY not in library.exports:
        remark = Remark(
            "entry_missing",
            f"the host library does not define {ENTRY}, the entry that the judge calls",
            "add TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, fn) at file scope, where fn is your host function",
        )
        refusals.append((Verdict.BUILD_FAILED, remark))
    return refusals


def _imports(library: LibraryFacts, shim_names: frozenset[str]) -> list[_Refusal]:
    found = (_import(one, shim_names) for one in library.imports)
    return [one for one in found if one is not None]


def _import(one: Import, shim_names: frozenset[str]) -> _Refusal | None:
    if one.name in shim_names or one.library in tables.SYSTEM_LIBRARIES:
        return None
    if one.name.startswith(tables.TVM_FFI_PREFIX):
        return _tvm_ffi_import(one.name)
    if tables.STANDARD_CPLUSPLUS.match(one.name):
        return None
    named = _foreign_import(one.name)
    # The recorder's own functions would bind, also weakly, and tell the host code that it is being recorded.
    if named is None and one.weak and not one.name.startswith(tables.JUDGE_PREFIX):
        return None
    return named or (
        Verdict.BUILD_FAILED,
        Remark(
            "undefined_name",
            f"nothing that the judge links defines {_clip(one.name)}",
            "define the function in the file, or take the call out",
        ),
    )


def _foreign_import(name: str) -> _Refusal | None:
    """Calls into libraries that we know and do not have; a weak reference is one too, it would show what is there."""
    shown = _clip(name)
    if tables.VENDOR_CALL.match(name):
        message = f"the host code calls {shown} of a vendor library"
        instead = "write the computation as a kernel of your own"
        return Verdict.POLICY_REJECTED, Remark("vendor_call", message, instead)
    if tables.CUDA_CALL.match(name):
        message = f"the host code calls {shown}, which cannot be recorded"
        instead = "use the calls that docs/verdicts.md lists"
        return Verdict.NOT_RECORDABLE, Remark("unknown_cuda_call", message, instead)
    if tables.TVM_FFI_CPLUSPLUS in name:
        message = f"the host code uses {shown}, a part of TVM-FFI that cannot be recorded"
        return Verdict.NOT_RECORDABLE, Remark("tvm_ffi_surface", message, _TVM_FFI_INSTEAD)
    return None


def _tvm_ffi_import(name: str) -> _Refusal | None:
    if name in tables.TVM_FFI_ALLOWED or name in tables.TVM_FFI_NOTED:
        return None
    if name in tables.TVM_FFI_REFUSED:
        message = f"the host code calls {name}, which reaches beyond the kernel's own call"
        return Verdict.POLICY_REJECTED, Remark("tvm_ffi_surface", message, _TVM_FFI_INSTEAD)
    message = f"the host code calls {_clip(name)}, a part of TVM-FFI that cannot be recorded"
    return Verdict.NOT_RECORDABLE, Remark("tvm_ffi_surface", message, _TVM_FFI_INSTEAD)


def _linking(library: LibraryFacts) -> list[_Refusal]:
    """Our own link asks for both; a library without them was shaped by something in its objects."""
    if library.bind_now and library.relro:
        return []
    message = "the host library is not linked with immediate binding and read-only relocations"
    instead = "take assembler directives for segments and dynamic sections out"
    return [(Verdict.BUILD_FAILED, Remark("link_flags", message, instead))]


def _device(cubin: CubinFacts) -> list[_Refusal]:
    refusals: list[_Refusal] = []
    for name in cubin.externs:
        if name not in tables.DEVICE_EXTERNS:
            message = f"device code calls {_clip(name)} of the driver"
            instead = (
                "device code may call printf, assert, malloc and free of the driver, nothing else"
            )
            refusals.append((Verdict.POLICY_REJECTED, Remark("device_extern", message, instead)))
    for name in cubin.overflowing:
        message = f"the device variable {_clip(name)} is larger than the compiler can place: sizes wrap at 4 GiB"
        instead = "allocate it with cudaMalloc"
        refusals.append((Verdict.BUILD_FAILED, Remark("variable_size", message, instead)))
    for function in cubin.functions:
        if function.grid_counts_clusters:
            message = f"the kernel {_clip(function.name)} is launched in clusters by __block_size__"
            instead = "use __cluster_dims__ and __launch_bounds__"
            refusals.append((Verdict.NOT_RECORDABLE, Remark("block_size", message, instead)))
    if not cubin.functions:
        message = "the file holds no kernel: no __global__ function was compiled for the target"
        instead = "write a __global__ function and launch it from run"
        refusals.append((Verdict.NO_KERNEL, Remark("no_kernel", message, instead)))
    return refusals


def _signals(library: LibraryFacts) -> tuple[Signal, ...]:
    names = sorted({one.name for one in library.imports})
    signals = [
        _signal(
            "constructor_outside_statics",
            Severity.NOTE,
            "The host library runs functions while it is loaded or unloaded that are not C++ statics.",
            [one for one in library.initialisers if not tables.INITIALISER.fullmatch(one)]
            + [one for one in library.finalisers if not tables.FINALISER.fullmatch(one)],
        ),
        _signal(
            "start_code_changed",
            Severity.HOLD,
            "The start-up code of the host library differs from the toolchain's own.",
            [f"{name} {digest}" for name, digest in _changed_start_code(library)],
        ),
        _signal(
            "start_name_defined",
            Severity.HOLD,
            "The host code defines a name that start-up code calls when a library is loaded.",
            [one for one in library.defined if tables.START_NAME.fullmatch(one)],
        ),
        _signal(
            "indirect_function",
            Severity.HOLD,
            "The host library runs code while symbols are resolved (IFUNC).",
            list(library.ifuncs),
        ),
        _signal(
            "raw_system_call",
            Severity.HOLD,
            "The host code holds system call instructions of its own.",
            [f"{library.syscall_sites} places"] if library.syscall_sites else [],
        ),
        _signal(
            "embedded_image",
            Severity.HOLD,
            "The host library carries another program or device image as data.",
            list(library.images),
        ),
        _signal(
            "text_relocations",
            Severity.HOLD,
            "The host library changes its own code while it is loaded.",
            ["DT_TEXTREL"] if library.text_relocations else [],
        ),
        _signal(
            "tvm_ffi_function_object",
            Severity.NOTE,
            "The host code creates or calls TVM-FFI function objects; the file does not show whose they are.",
            [one for one in names if one in tables.TVM_FFI_NOTED],
        ),
        *(
            _signal(
                hint.kind, hint.severity, hint.sentence, [one for one in names if hint.covers(one)]
            )
            for hint in tables.IMPORT_HINTS
        ),
    ]
    return tuple(one for one in signals if one is not None)


def _changed_start_code(library: LibraryFacts) -> list[tuple[str, str]]:
    return [one for one in library.init_sections if one not in tables.START_CODE]


def _signal(kind: str, severity: Severity, sentence: str, evidence: list[str]) -> Signal | None:
    if not evidence:
        return None
    lines = tuple(_clip(one) for one in evidence[:_MAX_EVIDENCE])
    if len(evidence) > _MAX_EVIDENCE:
        lines += (f"and {len(evidence) - _MAX_EVIDENCE} more",)
    return Signal(kind, 1, severity, Stage.BUILD, sentence, lines)
