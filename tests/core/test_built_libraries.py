"""Host libraries that g++ really built, with the judge's link flags: honest ones, and each known way around the rules."""

import shutil
import subprocess
from pathlib import Path

import pytest

from evaluation.core.binary.binary_rules import judge_binaries
from evaluation.core.binary.facts import CubinFacts, KernelFunction, LibraryFacts
from evaluation.core.binary.library import read_library
from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity

pytestmark = pytest.mark.skipif(not shutil.which("g++"), reason="g++ is not installed")

SHIM_CODE = "int cudaMalloc, cudaGetLastError, __cudaLaunchKernel;"
SHIM = frozenset({"cudaMalloc", "cudaGetLastError", "__cudaLaunchKernel"})
TVM_FFI_CODE = "int TVMFFIEnvGetStream, TVMFFIFunctionSetGlobal;"
CUBIN = CubinFacts(90, (KernelFunction("k", (), 528, 0, 32, 0, 0, 0, None, 128),), (), (), 0)
ENTRY = 'extern "C" __attribute__((visibility("default"))) int __tvm_ffi_run() { return 0; }\n'


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Empty stand-ins for the two libraries that every host library is linked with."""
    folder = tmp_path_factory.mktemp("stubs")
    for name, code in (("libptxboard_shim.so", SHIM_CODE), ("libtvm_ffi.so", TVM_FFI_CODE)):
        subprocess.run(
            ["gcc", "-x", "c", "-shared", "-fPIC", f"-Wl,-soname,{name}", "-o", folder / name, "-"],
            input=code.encode(),
            check=True,
            timeout=60,
        )
    (folder / "exports.map").write_text("{ global: __tvm_ffi_run; local: *; };\n")
    return folder


def link(stubs: Path, folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    (folder / "kernel.cpp").write_text(code)
    return subprocess.run(
        [
            *(
                "g++",
                "-shared",
                "-fPIC",
                "-O2",
                "-std=c++17",
                "-w",
                "kernel.cpp",
                "-o",
                "kernel.so",
            ),
            *("-fno-use-linker-plugin", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--build-id=none"),
            *(f"-Wl,--version-script={stubs}/exports.map", "-Wl,--no-as-needed"),
            *(stubs / "libptxboard_shim.so", stubs / "libtvm_ffi.so"),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def facts(stubs: Path, folder: Path, code: str) -> LibraryFacts:
    linked = link(stubs, folder, code)
    assert linked.returncode == 0, linked.stderr
    return read_library((folder / "kernel.so").read_bytes())


def judge(stubs: Path, folder: Path, code: str) -> StageReport:
    return judge_binaries(facts(stubs, folder, code), CUBIN, SHIM)


HONEST = {
    "plain": "",
    "iostream": "#include <iostream>\nvoid f() { std::cout << 1.5 << std::endl; }",
    "static map": '#include <map>\n#include <string>\nstatic std::map<std::string, int> m{{"a", 1}};\nint f() { return m["b"]; }',
    "static scratch": 'extern "C" int cudaMalloc(void**, unsigned long);\nstruct S { void* p; S() { cudaMalloc(&p, 64); } ~S() { p = 0; } };\nstatic S scratch;',
    "thread_local": "#include <vector>\nthread_local std::vector<int> v{1, 2};\nint f() { return v.size(); }",
    "mutex and once": "#include <mutex>\nstd::mutex m; std::once_flag o; int n;\nvoid f() { std::lock_guard<std::mutex> g(m); std::call_once(o, [] { ++n; }); }",
    "exceptions": '#include <stdexcept>\nint f(int n) { try { if (n) throw std::runtime_error("x"); } catch (std::exception&) { return 1; } return 0; }',
    "strings": "#include <sstream>\n#include <string>\nstd::string f(int n) { std::ostringstream o; o << n; return o.str() + std::to_string(n); }",
    "function-local static": "#include <vector>\nint f() { static std::vector<int> v(1000); return v.size(); }",
    "printf and math": '#include <cmath>\n#include <cstdio>\nvoid f(double x) { std::printf("%f", std::sqrt(x) + std::pow(x, 3.1)); }',
    "virtual and function": "#include <functional>\n#include <memory>\nstruct B { virtual ~B() = default; virtual int g() { return 1; } }; struct D : B { int g() override { return 2; } };\nstd::unique_ptr<B> b(new D); std::function<int()> h = [] { return b->g(); };",
    "init_priority": "struct S { S(); }; int n; S::S() { ++n; }\n__attribute__((init_priority(200))) S s;",
    "tensor stream": 'extern "C" void* TVMFFIEnvGetStream(int, int);\nvoid* f() { return TVMFFIEnvGetStream(2, 0); }\nvoid* keep() { return (void*)&f; }',
}  # fmt: skip


@pytest.mark.parametrize("code", HONEST.values(), ids=HONEST.keys())
def test_an_honest_library_passes_without_a_signal(code: str, stubs: Path, tmp_path: Path) -> None:
    report = judge(stubs, tmp_path, f"{code}\n{ENTRY}")
    assert (report.verdict, report.remarks, report.signals) == (None, (), ())


def test_an_honest_library_needs_what_the_rules_allow(stubs: Path, tmp_path: Path) -> None:
    found = facts(stubs, tmp_path, HONEST["iostream"] + "\n" + ENTRY)
    assert found.needed[:3] == ("libptxboard_shim.so", "libtvm_ffi.so", "libstdc++.so.6")
    assert found.exports == ("__tvm_ffi_run",)
    assert (found.bind_now, found.relro, found.text_relocations) == (True, True, False)


def held(report: StageReport) -> list[tuple[str, tuple[str, ...]]]:
    assert report.verdict is None
    return [(one.kind, one.evidence) for one in report.signals if one.severity is Severity.HOLD]


EVIL = 'extern "C" __attribute__((used)) void evil() {}\n'


def test_dodge_1_a_constructor_by_attribute_is_named(stubs: Path, tmp_path: Path) -> None:
    code = (
        "volatile int n;\n"
        "__attribute__((constructor)) static void sneak() { n = 1; }\n"
        "__attribute__((destructor)) static void leave() { n = 2; }\n"
    )
    report = judge(stubs, tmp_path, code + ENTRY)
    assert [(one.kind, set(one.evidence)) for one in report.signals] == [
        ("constructor_outside_statics", {"_ZL5sneakv", "_ZL5leavev"})
    ]


def test_dodge_2_a_pointer_in_an_old_style_list_is_named(stubs: Path, tmp_path: Path) -> None:
    code = EVIL + 'asm(".pushsection .ctors,\\"aw\\"\\n.quad evil\\n.popsection");\n'
    report = judge(stubs, tmp_path, code + ENTRY)
    assert [(one.kind, one.evidence) for one in report.signals] == [
        ("constructor_outside_statics", ("evil",))
    ]


def test_dodge_2_a_pointer_in_preinit_array_does_not_even_link_or_is_named(
    stubs: Path, tmp_path: Path
) -> None:
    code = EVIL + 'asm(".pushsection .preinit_array,\\"aw\\"\\n.quad evil\\n.popsection");\n'
    linked = link(stubs, tmp_path, code + ENTRY)
    assert linked.returncode != 0
    assert ".preinit_array section is not allowed in DSO" in linked.stderr


@pytest.mark.parametrize("section", [".init", ".fini"])
def test_dodge_3_code_in_a_start_section_is_held(section: str, stubs: Path, tmp_path: Path) -> None:
    code = EVIL + f'asm(".pushsection {section},\\"ax\\"\\ncall evil\\n.popsection");\n'
    ((kind, (evidence,)),) = held(judge(stubs, tmp_path, code + ENTRY))
    assert (kind, evidence.split()[0]) == ("start_code_changed", section)


def test_dodge_4_an_indirect_function_is_held(stubs: Path, tmp_path: Path) -> None:
    code = (
        'extern "C" void real() {}\n'
        'extern "C" void (*choose())() { return real; }\n'
        'extern "C" __attribute__((ifunc("choose"))) void chosen();\n'
        "void use() { chosen(); }\n"
    )
    ((kind, evidence),) = held(judge(stubs, tmp_path, code + ENTRY))
    assert kind == "indirect_function"
    assert "chosen" in evidence
    assert any(line.startswith("IRELATIVE at 0x") for line in evidence)


def test_dodge_5_an_own_gmon_start_is_held(stubs: Path, tmp_path: Path) -> None:
    code = 'extern "C" __attribute__((used)) void __gmon_start__() {}\n'
    kinds = dict(held(judge(stubs, tmp_path, code + ENTRY)))
    assert kinds["start_name_defined"] == ("__gmon_start__",)


def test_dodge_5_own_transactional_memory_hooks_are_held(stubs: Path, tmp_path: Path) -> None:
    code = (
        'extern "C" __attribute__((used)) void _ITM_registerTMCloneTable(void*, unsigned long) {}\n'
    )
    assert held(judge(stubs, tmp_path, code + ENTRY)) == [
        ("start_name_defined", ("_ITM_registerTMCloneTable",))
    ]


@pytest.mark.parametrize("name", ["_init", "_fini"])
def test_dodge_5_an_own_start_function_does_not_link(
    name: str, stubs: Path, tmp_path: Path
) -> None:
    linked = link(stubs, tmp_path, f'extern "C" void {name}() {{}}\n{ENTRY}')
    assert linked.returncode != 0
    assert f"multiple definition of `{name}'" in linked.stderr


@pytest.mark.parametrize("name", ["__cudaLaunchKernel", "cudaMalloc", "TVMFFIEnvGetStream"])
@pytest.mark.parametrize(
    "form",
    [
        'extern "C" __attribute__((used)) int {name}() {{ return 0; }}\n',
        '__attribute__((weak)) int other() asm("{name}");\nint other() {{ return 0; }}\n',
        'asm(".text\\n{name}: ret");\n',
        'extern "C" {{ static __attribute__((used)) int {name}() {{ return 0; }} }}\n',
    ],
    ids=["function", "asm name", "bare label", "static"],
)
def test_dodge_6_an_own_definition_of_a_recorded_call_is_refused_by_name(
    name: str, form: str, stubs: Path, tmp_path: Path
) -> None:
    report = judge(stubs, tmp_path, form.format(name=name) + ENTRY)
    assert [(one.rule, one.message) for one in report.remarks] == [
        (
            "own_shim_name",
            f"the host code defines {name} itself, so the call would not be recorded",
        )
    ]


def test_a_call_that_nobody_records_is_named(stubs: Path, tmp_path: Path) -> None:
    code = 'extern "C" int cudaGraphLaunch(void*, void*);\nint f() { return cudaGraphLaunch(0, 0); }\nvoid* keep = (void*)&f;\n'
    report = judge(stubs, tmp_path, code + ENTRY)
    assert report.headline == "the host code calls cudaGraphLaunch, which cannot be recorded"


def test_setting_a_global_function_is_rejected_by_name(stubs: Path, tmp_path: Path) -> None:
    code = 'extern "C" int TVMFFIFunctionSetGlobal(void*, void*, int);\nint f() { return TVMFFIFunctionSetGlobal(0, 0, 1); }\n'
    report = judge(stubs, tmp_path, code + ENTRY)
    assert report.verdict == "policy_rejected"
    assert "TVMFFIFunctionSetGlobal" in report.headline


def test_a_missing_entry_is_said(stubs: Path, tmp_path: Path) -> None:
    report = judge(stubs, tmp_path, "int other;\n")
    assert [one.rule for one in report.remarks] == ["entry_missing"]


def test_a_raw_system_call_is_held(stubs: Path, tmp_path: Path) -> None:
    code = 'long f() { long r; asm volatile("syscall" : "=a"(r) : "a"(57) : "rcx", "r11"); return r; }\n'
    assert held(judge(stubs, tmp_path, code + ENTRY)) == [("raw_system_call", ("1 places",))]


def test_an_image_in_an_array_is_held(stubs: Path, tmp_path: Path) -> None:
    words = ", ".join(["0x7f", "'E'", "'L'", "'F'", *["1"] * 14, "190", "0"])
    code = f'extern "C" __attribute__((used)) const unsigned char image[64] = {{{words}}};\n'
    assert held(judge(stubs, tmp_path, code + ENTRY)) == [("embedded_image", ("cubin in .rodata",))]


def test_imports_of_processes_and_sockets_are_held_by_name(stubs: Path, tmp_path: Path) -> None:
    code = "#include <sys/socket.h>\n#include <unistd.h>\nint f() { return fork() + socket(1, 2, 3); }\n"
    assert held(judge(stubs, tmp_path, code + ENTRY)) == [
        ("process_import", ("fork",)),
        ("socket_import", ("socket",)),
    ]
