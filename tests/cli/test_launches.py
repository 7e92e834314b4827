import pytest

from evaluation.cli.launches import launch_lines, short_name
from evaluation.core.plan.plan import LaunchAttribute, LaunchSetting, LaunchStep, Plan, Template
from evaluation.core.verdict import Target


def plan_of(*steady: LaunchStep) -> Plan:
    return Plan(
        problem="p",
        problem_version=1,
        target=Target.HOPPER,
        device="h200",
        toolchain="t",
        cubin_sha256="ab" * 32,
        arguments=(),
        functions=(),
        symbols=(),
        assumptions=(),
        setup=(),
        steady=steady,
        notes=(),
    )


def launch(
    grid: tuple[int, int, int] = (1, 1, 1),
    *,
    shared: int = 0,
    cooperative: bool = False,
    settings: tuple[LaunchSetting, ...] = (),
) -> LaunchStep:
    return LaunchStep("k", grid, (128, 1, 1), shared, cooperative, settings, Template(b""))


def test_a_launch_shows_its_sizes_without_the_ones_at_the_end() -> None:
    assert list(launch_lines(plan_of(launch((448, 64, 1)), launch((1, 1, 7))))) == [
        "k: grid 448 x 64, block 128",
        "k: grid 1 x 1 x 7, block 128",
    ]


def test_a_launch_shows_cluster_shared_memory_and_cooperation_where_it_has_them() -> None:
    cluster = LaunchSetting(LaunchAttribute.CLUSTER, (2, 1, 1))
    policy = LaunchSetting(LaunchAttribute.CLUSTER_POLICY, (1,))
    step = launch((132, 1, 1), shared=230400, cooperative=True, settings=(cluster, policy))
    assert list(launch_lines(plan_of(step))) == [
        "k: grid 132, block 128, cluster 2, 230400 bytes dynamic shared, cooperative"
    ]


def test_of_many_launches_eight_are_shown_and_the_rest_is_counted() -> None:
    lines = list(launch_lines(plan_of(*[launch()] * 10)))
    assert len(lines) == 9
    assert lines[-1] == "and 2 more launches"


@pytest.mark.parametrize(
    ("mangled", "short"),
    [
        ("k", "k"),
        ("_Z10gemm_naivePK13__nv_bfloat16S1_PS_iii", "gemm_naive"),
        ("_ZN5outer5inner4gemmEPf", "outer::inner::gemm"),
        ("_ZN12_GLOBAL__N_14gemmEPf", "gemm"),
        ("_ZN15_GLOBAL__N__1234gemmEPf", "gemm"),
        ("_ZL6hiddenPf", "hidden"),
        ("_Z4gemmILi128EEvPf", "gemm<>"),
        ("_ZN5outer4gemmILi128EfEEvPf", "outer::gemm<>"),
        ("_Z", "'_Z'"),
        ("_Z9999x", "'_Z9999x'"),
        ("_ZN5outer4gemm", "'_ZN5outer4gemm'"),
        ("_Z3a\x1bb", "'_Z3a\\x1bb'"),
        ("a b", "'a b'"),
        ("x" * 200, f"'{'x' * 120}...'"),
        ("_Z200" + "x" * 200, f"'_Z200{'x' * 115}...'"),
    ],
)
def test_a_name_is_shortened_where_that_is_plain_and_quoted_where_not(
    mangled: str, short: str
) -> None:
    assert short_name(mangled) == short
