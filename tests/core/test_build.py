"""What the build stage says about a compile."""

import dataclasses
import hashlib

import pytest

from evaluation.core.compile.build import Built, Failed, FailureKind, judge_build
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.records import ArtifactRef, Fact
from evaluation.core.verdict import Stage, Target, Verdict

BUILT = Built(
    cubin=b"abc",
    ptx=b"p",
    library=b"library",
    headers=HeaderSet.SLIM,
    log="a warning\n",
    seconds=1.5,
)


def test_a_compiled_kernel_goes_on_with_its_products_and_facts() -> None:
    product = ArtifactRef("cubin", "ba78", 3)

    report = judge_build(BUILT, target=Target.HOPPER, toolchain="f00d", artifacts=(product,))

    assert (report.stage, report.verdict, report.headline) == (
        Stage.BUILD,
        None,
        "compiled for sm_90a",
    )
    assert report.artifacts == (product,)
    assert (report.log, report.seconds) == ("a warning\n", 1.5)
    assert report.facts == (
        Fact("target", "sm_90a"),
        Fact("toolchain", "f00d"),
        Fact("headers", "slim"),
        Fact("cubin", 3, "bytes"),
        Fact("cubin_sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        Fact("library", 7, "bytes"),
    )


def test_both_hashes_are_shown_where_printf_and_assert_were_replaced() -> None:
    built = dataclasses.replace(BUILT, unmodified_cubin=b"hello")

    report = judge_build(built, target=Target.HOPPER, toolchain="f00d")

    facts = {fact.name: fact.value for fact in report.facts}
    assert facts["cubin_sha256"] == hashlib.sha256(b"abc").hexdigest()
    assert facts["unmodified_cubin_sha256"] == hashlib.sha256(b"hello").hexdigest()


@pytest.mark.parametrize(
    ("kind", "step", "headline", "rule"),
    [
        (FailureKind.SOURCE_TOO_LARGE, "", "the source is too large", "build_source_too_large"),
        (
            FailureKind.ERROR,
            "host_split",
            "does not compile: the host front end reports errors",
            "build_error",
        ),
        (
            FailureKind.CRASH,
            "assemble",
            "does not compile: the assembler ptxas crashed on it",
            "build_crash",
        ),
        (
            FailureKind.TIMEOUT,
            "device_compile",
            "compiles for too long: stopped in the device compiler",
            "build_timeout",
        ),
        (
            FailureKind.MEMORY,
            "host_compile",
            "needs too much memory to compile: stopped in the host compiler",
            "build_memory",
        ),
        (
            FailureKind.OBJECT_TOO_LARGE,
            "link",
            "compiles to too much: stopped in the linker",
            "build_object_too_large",
        ),
        (
            FailureKind.DEVICE_CALLS,
            "assemble_measured",
            "printf or assert cannot be replaced in its PTX",
            "build_device_calls",
        ),
    ],
)
def test_every_way_to_fail_is_a_build_failure_with_advice(
    kind: FailureKind, step: str, headline: str, rule: str
) -> None:
    failed = Failed(kind, step, HeaderSet.REAL, "kernel.cu(1): error\n", 2.0)

    report = judge_build(failed, target=Target.BLACKWELL, toolchain="f00d")

    assert report.verdict is Verdict.BUILD_FAILED
    assert report.headline == headline
    assert [(remark.rule, remark.message) for remark in report.remarks] == [(rule, headline)]
    assert report.remarks[0].instead
    assert report.facts == (
        Fact("target", "sm_100a"),
        Fact("toolchain", "f00d"),
        Fact("headers", "real"),
    )
    assert report.log == "kernel.cu(1): error\n"
