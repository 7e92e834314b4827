"""The command lines of a build."""

import pytest

from evaluation.core.compile import build_steps
from evaluation.core.compile.build_steps import HeaderSet, Part, Step
from evaluation.core.verdict import Target


def words(part: Part) -> list[str]:
    return [word for step in part.steps for word in step.argv]


@pytest.mark.parametrize(
    ("target", "number", "feature", "virtual", "real"),
    [
        (Target.HOPPER, "900", "SM90", "compute_90a", "sm_90a"),
        (Target.BLACKWELL, "1000", "SM100", "compute_100a", "sm_100a"),
    ],
)
def test_each_target_is_compiled_for_exactly_its_own_architecture(
    target: Target, number: str, feature: str, virtual: str, real: str
) -> None:
    front = words(build_steps.device_front(target, HeaderSet.SLIM, gnu_version=120200))

    assert f"-D__CUDA_ARCH__={number}" in front
    assert f"-D__CUDA_ARCH_FEAT_{feature}_ALL" in front
    assert front[front.index("-arch") + 1] == virtual
    assert f"-arch={real}" in words(build_steps.assemble(target))
    assert f"-D__CUDA_ARCH_LIST__={number}" in words(
        build_steps.host_front(target, HeaderSet.SLIM, gnu_version=120200)
    )


def test_one_jail_assembles_both_images_with_the_same_words() -> None:
    alone = build_steps.assemble(Target.HOPPER)
    both = build_steps.assemble(Target.HOPPER, measured=True)

    assert (alone.results, both.results) == (
        ("kernel.cubin",),
        ("kernel.cubin", "measured.cubin"),
    )
    assert [step.name for step in both.steps] == ["assemble", "assemble_measured"]
    assert both.steps[0] == alone.steps[0]
    assert [word.replace("measured", "kernel") for word in both.steps[1].argv] == list(
        alone.steps[0].argv
    )


def test_the_slim_headers_are_never_mixed_with_the_packages_cpp_headers() -> None:
    for make in (build_steps.host_front, build_steps.device_front):
        slim = words(make(Target.HOPPER, HeaderSet.SLIM, gnu_version=120200))
        real = words(make(Target.HOPPER, HeaderSet.REAL, gnu_version=120200))

        assert "-I/slim" in slim
        assert "-I/toolchain/tvm/include" not in slim
        assert "-I/slim" not in real
        assert "-I/toolchain/tvm/include" in real


def test_the_library_exports_one_name_binds_at_once_and_loads_no_plugin() -> None:
    link = build_steps.host_back(Target.HOPPER).steps[-1].argv

    assert {"-Wl,-z,now", "-Wl,-z,relro", "-fno-use-linker-plugin"} <= set(link)
    assert f"-Wl,--version-script={build_steps.VERSION_SCRIPT}" in link
    assert build_steps.VERSION_SCRIPT_TEXT == b"{ global: __tvm_ffi_run; local: *; };\n"
    assert not any("rpath" in word for word in link)


def test_no_part_keeps_a_path_or_a_seed_of_the_day() -> None:
    assert "-frandom-seed=kernel.cu" in words(build_steps.host_back(Target.HOPPER))
    assert "-fno-stack-protector" in words(build_steps.host_back(Target.HOPPER))


def test_a_part_becomes_a_script_that_reports_each_step_and_hands_out_its_results() -> None:
    part = Part(
        "demo", (Step("one", ("/bin/a", "x y", "$z")), Step("two", ("/bin/b",))), ("r1", "r2")
    )

    assert part.script() == (
        "exec 9>&2 2>/dev/null\n"
        "bound() {\n"
        "times >times\n"
        "{ read -r _; read -r user system; } <times\n"
        "used=$((${user%m*} * 60 + ${system%m*} * 60))\n"
        "user=${user#*m} system=${system#*m}\n"
        "used=$((used + ${user%.*} + ${system%.*}))\n"
        "ulimit -S -t $((used < budget ? budget - used : 1)); }\n"
        'step() { name=$1; shift; bound; "$@" >&9 2>&9 9>&- 10>&- 11>&- 20>&-; code=$?;\n'
        'echo "$name $code $EPOCHREALTIME" >&20; [ $code -eq 0 ] || exit 1; }\n'
        "budget=$1\n"
        'echo "start 0 $EPOCHREALTIME" >&20\n'
        "step one /bin/a 'x y' '$z'\n"
        "step two /bin/b\n"
        "/usr/bin/cat r1 >&10\n"
        "/usr/bin/cat r2 >&11\n"
    )
