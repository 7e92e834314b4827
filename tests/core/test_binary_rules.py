import re
from dataclasses import replace

import pytest

from evaluation.core.binary import binary_tables
from evaluation.core.binary.binary_rules import judge_binaries
from evaluation.core.binary.facts import (
    CubinFacts,
    DeviceSymbol,
    Import,
    KernelFunction,
    LibraryFacts,
)
from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity, Stage, Verdict

SHIM = frozenset(
    {"__cudaRegisterFatBinary", "__cudaLaunchKernel", "cudaMalloc", "cudaGetLastError"}
)
KERNEL = KernelFunction(
    name="_Z4gemmPf",
    parameters=(),
    parameter_base=528,
    parameter_bytes=0,
    registers=32,
    static_shared_bytes=0,
    local_bytes=0,
    max_threads=0,
    cluster=None,
    code_bytes=128,
)
CUBIN = CubinFacts(
    sm=90,
    functions=(KERNEL,),
    symbols=(DeviceSymbol("counter", "global", 4),),
    externs=("malloc", "free"),
    global_bytes=4,
)
# What a library of an honest kernel with iostream, a static map, a thread_local, call_once and exceptions says.
HONEST = LibraryFacts(
    needed=(
        "libptxboard_shim.so",
        "libtvm_ffi.so",
        "libstdc++.so.6",
        "libm.so.6",
        "libgcc_s.so.1",
        "libc.so.6",
        "ld-linux-x86-64.so.2",
    ),
    runpaths=(),
    imports=(
        Import("__gmon_start__", weak=True),
        Import("_ITM_registerTMCloneTable", weak=True),
        Import("__cxa_finalize", weak=True, library="libc.so.6"),
        Import("__cudaRegisterFatBinary", weak=False),
        Import("__cudaLaunchKernel", weak=False),
        Import("cudaMalloc", weak=False),
        Import("TVMFFIEnvGetStream", weak=False),
        Import("TVMFFIErrorSetRaised", weak=False),
        Import("TVMFFIGetTypeInfo", weak=False),
        Import("TVMFFIBacktrace", weak=False),
        Import("_ZNSt8ios_base4InitC1Ev", weak=False, library="libstdc++.so.6"),
        Import("_ZSt28__throw_bad_array_new_lengthv", weak=False),
        Import("_ZNSt7__cxx1119basic_ostringstreamIcSt11char_traitsIcESaIcEEC1Ev", weak=False),
        Import("_ZTVN10__cxxabiv117__class_type_infoE", weak=False, library="libstdc++.so.6"),
        Import("__cxa_thread_atexit", weak=False, library="libstdc++.so.6"),
        Import("__tls_get_addr", weak=False, library="ld-linux-x86-64.so.2"),
        Import("pthread_once", weak=False, library="libc.so.6"),
        Import("pthread_mutex_lock", weak=False, library="libc.so.6"),
        Import("printf", weak=False, library="libc.so.6"),
        Import("sqrt", weak=False, library="libm.so.6"),
        Import("_Unwind_Resume", weak=False, library="libgcc_s.so.1"),
    ),
    exports=("__tvm_ffi_run",),
    defined=("__tvm_ffi_run", "_init", "_fini", "frame_dummy", "_ZL5table", "__dso_handle"),
    initialisers=(
        "frame_dummy",
        "_ZL24__sti____cudaRegisterAllv",
        "_GLOBAL__sub_I_tmpxft_0000217a_00000000_6_kernel.cudafe1.cpp",
    ),
    finalisers=("__do_global_dtors_aux",),
    init_sections=(
        (".init", "a423a51c85a5a71ffeb5425a4f7591e6c777fc565ae95155b758adfcd245ff5a"),
        (".fini", "66e6f54550612182b4ad78f30b140dd08318b968db3878de2db65fef87dc04d7"),
    ),
    ifuncs=(),
    text_relocations=False,
    bind_now=True,
    relro=True,
    syscall_sites=0,
    images=(),
)


def judge(library: LibraryFacts = HONEST, cubin: CubinFacts = CUBIN) -> StageReport:
    return judge_binaries(library, cubin, SHIM)


def calling(*names: str, weak: bool = False, library: str = "") -> LibraryFacts:
    more = tuple(Import(name, weak=weak, library=library) for name in names)
    return replace(HONEST, imports=(*HONEST.imports, *more))


def test_an_honest_build_passes_without_remark_or_signal() -> None:
    report = judge()
    assert (report.stage, report.verdict, report.headline) == (
        Stage.BUILD,
        None,
        "the built files keep the rules",
    )
    assert report.remarks == ()
    assert report.signals == ()
    assert [(one.name, one.value, one.unit) for one in report.facts] == [
        ("kernels", 1, ""),
        ("device_variables", 1, ""),
        ("device_global", 4, "bytes"),
        ("device_externs", "free malloc", ""),
    ]


def refusal(library: LibraryFacts = HONEST, cubin: CubinFacts = CUBIN) -> tuple[str, str, str]:
    report = judge(library, cubin)
    (remark,) = report.remarks
    assert report.verdict is not None
    assert report.headline == remark.message
    assert remark.instead
    return report.verdict.value, remark.rule, remark.message


@pytest.mark.parametrize(
    "name", ["libcublas.so.13", "libcudart.so.13", "libdl.so.2", "libpthread.so.0"]
)
def test_a_library_outside_the_list_is_refused_by_name(name: str) -> None:
    assert refusal(replace(HONEST, needed=(*HONEST.needed, name))) == (
        "policy_rejected",
        "needed_library",
        f"the host library needs {name}, which may not be linked",
    )


def test_a_library_path_of_its_own_is_refused() -> None:
    assert refusal(replace(HONEST, runpaths=("/opt/lib", "$ORIGIN"))) == (
        "policy_rejected",
        "library_path",
        "the host library brings its own library search path: /opt/lib, $ORIGIN",
    )


@pytest.mark.parametrize("name", ["__cudaLaunchKernel", "cudaMalloc", "TVMFFIEnvGetStream"])
def test_an_own_definition_of_a_recorded_call_is_refused_by_name(name: str) -> None:
    assert refusal(replace(HONEST, defined=(*HONEST.defined, name))) == (
        "policy_rejected",
        "own_shim_name",
        f"the host code defines {name} itself, so the call would not be recorded",
    )


def test_names_that_only_look_like_recorded_calls_may_be_defined() -> None:
    names = ("_ZL10cudaMallocv", "cudaMallocHelper", "my_cudaMalloc")
    assert judge(replace(HONEST, defined=(*HONEST.defined, *names))).verdict is None


def test_a_second_export_is_refused_by_name() -> None:
    assert refusal(replace(HONEST, exports=("__tvm_ffi_run", "__tvm_ffi_other"))) == (
        "build_failed",
        "exported_name",
        "the host library exports __tvm_ffi_other; only __tvm_ffi_run may be exported",
    )


def test_a_missing_entry_says_which_macro_makes_one() -> None:
    report = judge(replace(HONEST, exports=()))
    assert report.verdict is Verdict.BUILD_FAILED
    assert report.remarks[0].rule == "entry_missing"
    assert "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, fn)" in report.remarks[0].instead


@pytest.mark.parametrize(
    "name",
    [
        "cudaGraphLaunch",
        "cudaMemcpyFromSymbol",
        "__cudaRegisterManagedVar",
        "cuModuleLoadData",
        "cuMemAlloc_v2",
        "nvrtcCompileProgram",
    ],
)
@pytest.mark.parametrize("weak", [False, True])
def test_a_cuda_call_that_the_shim_lacks_is_not_recordable_by_name(name: str, weak: bool) -> None:
    assert refusal(calling(name, weak=weak)) == (
        "not_recordable",
        "unknown_cuda_call",
        f"the host code calls {name}, which cannot be recorded",
    )


@pytest.mark.parametrize(
    "name", ["cublasGemmEx", "cublasLtMatmul", "cudnnCreate", "curandGenerate", "ncclAllReduce"]
)
def test_a_vendor_library_call_is_rejected_by_name(name: str) -> None:
    assert refusal(calling(name)) == (
        "policy_rejected",
        "vendor_call",
        f"the host code calls {name} of a vendor library",
    )


def test_names_of_the_c_library_that_look_like_driver_calls_are_no_driver_calls() -> None:
    assert judge(calling("cuserid", library="libc.so.6")).verdict is None


@pytest.mark.parametrize(
    "name",
    [
        "TVMFFIFunctionGetGlobal",
        "TVMFFIFunctionSetGlobal",
        "TVMFFIFunctionSetGlobalFromMethodInfo",
        "TVMFFIEnvSetStream",
        "TVMFFIEnvRegisterCAPI",
        "TVMFFIEnvModRegisterContextSymbol",
        "TVMFFIEnvModRegisterSystemLibSymbol",
        "TVMFFIEnvSetDLPackManagedTensorAllocator",
    ],
)
def test_tvm_ffi_calls_that_reach_beyond_the_kernel_are_rejected_by_name(name: str) -> None:
    assert refusal(calling(name)) == (
        "policy_rejected",
        "tvm_ffi_surface",
        f"the host code calls {name}, which reaches beyond the kernel's own call",
    )


@pytest.mark.parametrize("name", ["TVMFFIObjectCreateOpaque", "TVMFFISomethingOfTomorrow"])
def test_tvm_ffi_calls_on_no_list_are_not_recordable_by_name(name: str) -> None:
    assert refusal(calling(name)) == (
        "not_recordable",
        "tvm_ffi_surface",
        f"the host code calls {name}, a part of TVM-FFI that cannot be recorded",
    )


@pytest.mark.parametrize("weak", [False, True])
def test_cplusplus_functions_of_tvm_ffi_are_not_recordable(weak: bool) -> None:
    name = "_ZN3tvm3ffi6Module12LoadFromFileERKNS0_6StringE"
    assert refusal(calling(name, weak=weak)) == (
        "not_recordable",
        "tvm_ffi_surface",
        f"the host code uses {name}, a part of TVM-FFI that cannot be recorded",
    )


@pytest.mark.parametrize("name", sorted(binary_tables.TVM_FFI_ALLOWED))
def test_every_allowed_tvm_ffi_call_passes_without_a_signal(name: str) -> None:
    report = judge(calling(name))
    assert (report.verdict, report.signals) == (None, ())


@pytest.mark.parametrize("name", ["TVMFFIFunctionCreate", "TVMFFIFunctionCall"])
def test_function_objects_are_shown_since_an_import_does_not_say_whose_they_are(name: str) -> None:
    report = judge(calling(name))
    assert report.verdict is None
    assert [(one.kind, one.severity, one.evidence) for one in report.signals] == [
        ("tvm_ffi_function_object", Severity.NOTE, (name,))
    ]


def test_a_name_that_nothing_defines_fails_the_build_by_name() -> None:
    assert refusal(calling("_Z6helperv")) == (
        "build_failed",
        "undefined_name",
        "nothing that the judge links defines _Z6helperv",
    )


def test_a_weak_name_that_nothing_defines_is_zero_and_allowed() -> None:
    assert judge(calling("optional_hook", weak=True)).verdict is None


@pytest.mark.parametrize("weak", [False, True])
def test_the_names_of_the_recorder_itself_are_refused_even_as_weak_references(weak: bool) -> None:
    assert refusal(calling("ptxboard_end", weak=weak)) == (
        "build_failed",
        "undefined_name",
        "nothing that the judge links defines ptxboard_end",
    )


def test_a_version_of_an_unknown_library_does_not_make_a_name_known() -> None:
    assert refusal(calling("helper", library="libother.so"))[1] == "undefined_name"


@pytest.mark.parametrize(
    "name",
    [
        "_ZNKSt10filesystem7__cxx114path5emptyEv",
        "_ZTINSt6locale5facetE",
        "_ZSt4cout",
        "_ZNSs4swapERSs",
        "_ZNSolsEi",
        "_ZGVNSt7collateIcE2idE",
    ],
)
def test_unversioned_names_of_the_standard_library_are_known(name: str) -> None:
    assert judge(calling(name)).verdict is None


@pytest.mark.parametrize("change", [{"bind_now": False}, {"relro": False}])
def test_a_library_without_our_link_flags_fails_the_build(change: dict[str, bool]) -> None:
    verdict, rule, _ = refusal(replace(HONEST, **change))  # type: ignore[arg-type]
    assert (verdict, rule) == ("build_failed", "link_flags")


@pytest.mark.parametrize("name", ["cudaLaunchDeviceV2", "vfprintf", "vprintf", "__assertfail"])
def test_a_driver_function_in_device_code_is_refused_by_name(name: str) -> None:
    assert refusal(cubin=replace(CUBIN, externs=("malloc", name))) == (
        "policy_rejected",
        "device_extern",
        f"device code calls {name} of the driver",
    )


def test_a_variable_that_wraps_at_4_gib_fails_the_build_by_name() -> None:
    assert refusal(cubin=replace(CUBIN, overflowing=("huge",))) == (
        "build_failed",
        "variable_size",
        "the device variable huge is larger than the compiler can place: sizes wrap at 4 GiB",
    )


def test_a_kernel_whose_grid_counts_clusters_is_not_recordable() -> None:
    odd = replace(KERNEL, grid_counts_clusters=True)
    assert refusal(cubin=replace(CUBIN, functions=(odd,))) == (
        "not_recordable",
        "block_size",
        "the kernel _Z4gemmPf is launched in clusters by __block_size__",
    )


def test_a_file_without_kernels_has_no_kernel() -> None:
    assert refusal(cubin=replace(CUBIN, functions=()))[:2] == ("no_kernel", "no_kernel")


def test_the_gravest_rule_names_the_verdict_and_stands_first() -> None:
    library = replace(calling("cudaGraphLaunch", "cublasGemmEx"), exports=())
    report = judge(library)
    assert report.verdict is Verdict.POLICY_REJECTED
    assert [one.rule for one in report.remarks] == [
        "vendor_call",
        "entry_missing",
        "unknown_cuda_call",
    ]


def test_no_more_than_forty_remarks_are_made() -> None:
    report = judge(calling(*(f"cudaUnknown{place}" for place in range(100))))
    assert len(report.remarks) == 41
    assert report.remarks[-1].message == "and 60 more of the same kinds"


def test_a_long_name_is_cut_in_a_sentence() -> None:
    _, _, message = refusal(calling("cudaX" + "x" * 4000))
    assert message == "the host code calls cudaX" + "x" * 195 + "…, which cannot be recorded"


def signals(library: LibraryFacts) -> list[tuple[str, str, tuple[str, ...]]]:
    report = judge(library)
    assert report.verdict is None
    assert all(one.stage is Stage.BUILD for one in report.signals)
    return [(one.kind, one.severity.value, one.evidence) for one in report.signals]


def test_a_constructor_that_is_no_static_is_a_note() -> None:
    library = replace(
        HONEST,
        initialisers=(*HONEST.initialisers, "early", "?"),
        finalisers=(*HONEST.finalisers, "late"),
    )
    assert signals(library) == [("constructor_outside_statics", "note", ("early", "?", "late"))]


@pytest.mark.parametrize(
    "name",
    [
        "_GLOBAL__sub_I_kernel.cpp",
        "_GLOBAL__sub_I.00101_first",
        "_GLOBAL__I_old",
        "_ZL24__sti____cudaRegisterAllv",
        "_ZL58__sti____cudaRegisterAll_41_tmpxft_00000000_kernel_cpp1_iiv",
    ],
)
def test_initialisers_that_compilers_write_are_no_signal(name: str) -> None:
    assert signals(replace(HONEST, initialisers=("frame_dummy", name))) == []


def test_changed_start_code_is_held() -> None:
    library = replace(HONEST, init_sections=((".init", "0" * 64), HONEST.init_sections[1]))
    assert signals(library) == [("start_code_changed", "hold", (".init " + "0" * 64,))]


def test_start_code_of_a_section_is_not_accepted_in_the_other() -> None:
    (_, init), (_, fini) = HONEST.init_sections
    library = replace(HONEST, init_sections=((".init", fini), (".fini", init)))
    assert [one[0] for one in signals(library)] == ["start_code_changed"]


@pytest.mark.parametrize("name", ["__gmon_start__", "_ITM_registerTMCloneTable", "_ITM_any"])
def test_a_definition_of_a_name_that_start_code_calls_is_held(name: str) -> None:
    library = replace(HONEST, defined=(*HONEST.defined, name))
    assert signals(library) == [("start_name_defined", "hold", (name,))]


def test_indirect_functions_are_held() -> None:
    library = replace(HONEST, ifuncs=("IRELATIVE at 0x3010",))
    assert signals(library) == [("indirect_function", "hold", ("IRELATIVE at 0x3010",))]


def test_raw_system_calls_are_held() -> None:
    assert signals(replace(HONEST, syscall_sites=3)) == [("raw_system_call", "hold", ("3 places",))]


def test_an_embedded_image_is_held() -> None:
    library = replace(HONEST, images=("cubin in .rodata",))
    assert signals(library) == [("embedded_image", "hold", ("cubin in .rodata",))]


def test_text_relocations_are_held() -> None:
    assert signals(replace(HONEST, text_relocations=True)) == [
        ("text_relocations", "hold", ("DT_TEXTREL",))
    ]


@pytest.mark.parametrize(
    ("names", "kind", "severity"),
    [
        (("fork", "execve"), "process_import", "hold"),
        (("syscall",), "process_import", "hold"),
        (("socket", "connect"), "socket_import", "hold"),
        (("sigaction",), "signal_import", "note"),
        (("pthread_create",), "thread_import", "note"),
        (
            (
                "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
            ),
            "thread_import",
            "note",
        ),
        (("dlopen", "dlsym"), "loader_import", "note"),
        (("getenv",), "environment_import", "note"),
        (("fopen", "open64"), "file_import", "note"),
        (
            ("_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1EPKcSt13_Ios_Openmode",),
            "file_import",
            "note",
        ),
        (("mprotect",), "memory_mapping_import", "note"),
    ],
)
def test_imports_worth_a_look_are_signals(names: tuple[str, ...], kind: str, severity: str) -> None:
    assert signals(calling(*names, library="libc.so.6")) == [(kind, severity, tuple(sorted(names)))]


def test_evidence_is_cut_after_twenty_lines() -> None:
    library = replace(HONEST, ifuncs=tuple(f"f{place}" for place in range(25)))
    ((_, _, evidence),) = signals(library)
    assert len(evidence) == 21
    assert evidence[-1] == "and 5 more"


def test_no_import_is_on_two_lists_of_hints() -> None:
    names = [name for hint in binary_tables.IMPORT_HINTS for name in sorted(hint.names)]
    assert sorted(set(names)) == sorted(names)


def test_no_tvm_ffi_name_is_on_two_lists() -> None:
    lists = (
        binary_tables.TVM_FFI_ALLOWED,
        binary_tables.TVM_FFI_NOTED,
        binary_tables.TVM_FFI_REFUSED,
    )
    assert sum(len(one) for one in lists) == len(frozenset().union(*lists))
    assert all(re.fullmatch(r"TVMFFI[A-Za-z]+", name) for one in lists for name in one)
