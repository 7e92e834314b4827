import pytest

from evaluation.core.records import Fact, Remark, StageReport
from evaluation.core.source.policy import LIMIT_EVIDENCE, LIMIT_REMARKS, review
from evaluation.core.source.policy_rules import RULES, SIGNALS
from evaluation.core.verdict import Language, Severity, Stage, Verdict

EXPORT = b"TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run);\n"


def reviewed(source: bytes) -> StageReport:
    return review(source, language=Language.CUDA)


def test_an_honest_source_passes_with_its_facts() -> None:
    report = reviewed(b"#include <cuda.h>\r\nint a; // b\r\n" + EXPORT)
    assert report == StageReport(
        Stage.POLICY,
        "1 include, all allowed; 0 signals",
        facts=(
            Fact("source_bytes", 73, "bytes"),
            Fact("source_lines", 3),
            Fact("source_tokens", 13),
            Fact("includes", 1),
        ),
    )
    assert not report.ends_run


def test_a_rejection_ends_the_run_and_says_line_rule_reason_and_way_out() -> None:
    report = reviewed(b"\n  #include <cublas_v2.h>\n")
    assert report.ends_run
    assert report.verdict is Verdict.POLICY_REJECTED
    assert report.headline == "line 2: 'cublas_v2.h' is part of cuBLAS, a vendor library"
    assert report.remarks == (
        Remark(
            "include-library",
            "'cublas_v2.h' is part of cuBLAS, a vendor library",
            "Write this computation in the kernel itself; inline PTX is allowed.",
            2,
            3,
        ),
    )


def test_an_include_in_a_branch_says_that_branches_count() -> None:
    report = reviewed(b"#if 0\n#include MACRO\n#endif\n")
    assert report.remarks[0].message == (
        "the include does not name its header directly; includes in inactive branches count too"
    )


def test_rejections_come_by_line_and_are_counted_beyond_a_limit() -> None:
    report = reviewed(b"#include <cub/a>\n" * (LIMIT_REMARKS + 3))
    assert [one.line for one in report.remarks] == [*range(1, LIMIT_REMARKS + 1), 0]
    assert report.remarks[-1] == Remark(
        "include-library",
        "and 3 more places that are rejected",
        "Write this computation in the kernel itself; inline PTX is allowed.",
    )


def test_exactly_the_limit_of_rejections_is_not_cut() -> None:
    assert len(reviewed(b"#include <cub/a>\n" * LIMIT_REMARKS).remarks) == LIMIT_REMARKS


@pytest.mark.parametrize(("size", "verdict"), [(100, None), (99, Verdict.POLICY_REJECTED)])
def test_a_source_over_the_limit_is_rejected(size: int, verdict: Verdict | None) -> None:
    source = EXPORT + b" " * (100 - len(EXPORT))
    report = review(source, language=Language.CUDA, limit_bytes=size)
    assert report.verdict is verdict
    if verdict:
        assert report.headline == "the source has 100 bytes; the limit is 99"
        assert [one.rule for one in report.remarks] == ["source-size"]


def test_the_default_limit_is_256_kib() -> None:
    assert reviewed(b"/" * (256 * 1024)).verdict is Verdict.NO_KERNEL
    assert reviewed(b"/" * (256 * 1024 + 1)).verdict is Verdict.POLICY_REJECTED


def test_a_nul_byte_is_rejected_with_its_place() -> None:
    report = reviewed("int a;\r\u00e9\0".encode())
    assert report.verdict is Verdict.POLICY_REJECTED
    assert report.remarks == (
        Remark("source-nul", "the source holds a NUL byte", "Remove it.", 2, 2),
    )


def test_too_many_tokens_are_rejected() -> None:
    report = reviewed(b";" * 100_001)
    assert (report.verdict, report.remarks[0].rule) == (Verdict.POLICY_REJECTED, "source-tokens")
    assert reviewed(b";" * 100_000).verdict is None


@pytest.mark.parametrize("source", [b"", b"\n\n", b" \t\\\n", b"\xef\xbb\xbf", b"// only\r\n/* */"])
def test_a_source_without_code_is_no_kernel(source: bytes) -> None:
    report = reviewed(source)
    assert report.verdict is Verdict.NO_KERNEL
    assert report.headline == "the source holds no code"


def test_triton_is_left_to_a_later_version() -> None:
    report = review(b"import triton", language=Language.TRITON)
    assert report.verdict is Verdict.NOT_RECORDABLE
    assert report.headline == "Triton sources are not judged by this version"


def test_a_source_without_export_passes_with_a_remark() -> None:
    report = reviewed(b"// TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, run)\nint a;")
    assert report.verdict is None
    assert [one.rule for one in report.remarks] == ["export-missing"]


def test_a_lone_carriage_return_does_not_hide_an_include() -> None:
    report = reviewed(b"// a\r#include <cublas_v2.h>\rint b;")
    assert [(one.rule, one.line, one.column) for one in report.remarks] == [
        ("include-library", 2, 1)
    ]


def test_a_continuation_before_a_carriage_return_is_followed() -> None:
    report = reviewed(b"#inc\\\r\nlude <cu\\ \rblas_v2.h>")
    assert [(one.rule, one.line, one.column) for one in report.remarks] == [
        ("include-library", 1, 1)
    ]


def test_a_byte_order_mark_does_not_hide_an_include() -> None:
    report = reviewed(b"\xef\xbb\xbf#include <cublas_v2.h>\n")
    assert [(one.rule, one.line, one.column) for one in report.remarks] == [
        ("include-library", 1, 1)
    ]
    assert report.signals == ()


def test_bytes_that_are_not_utf8_are_signalled_outside_comments_only() -> None:
    report = reviewed(b"// \xfc\nint a\xff;\n" + EXPORT)
    assert [(one.kind, one.evidence) for one in report.signals] == [
        ("invalid_utf8", ("line 2: int a?; (byte 0xFF)",)),
    ]


def test_a_signal_is_one_a_kind_with_bounded_printable_evidence() -> None:
    source = b"".join(b"int v%d = cudnn_%d(\x1b\x07);\n" % (n, n) for n in range(12))
    report = reviewed(source + b"int " + b"x" * 300 + b" = dlopen;\n" + EXPORT)
    loader, vendor = sorted(report.signals, key=lambda one: one.kind)
    assert (vendor.kind, vendor.version, vendor.severity, vendor.stage) == (
        "vendor_name",
        1,
        Severity.NOTE,
        Stage.POLICY,
    )
    assert vendor.sentence == (
        "A name of a vendor or kernel library. Whether such code is used is decided on the binary."
    )
    assert vendor.evidence[0] == "line 1: int v0 = cudnn_0(??);"
    assert vendor.evidence[LIMIT_EVIDENCE:] == ("and 4 more places",)
    assert loader.evidence == ("line 13: int " + "x" * 116 + "... (dlopen)",)


def test_signals_come_with_a_rejection_too() -> None:
    report = reviewed(b"#include <cublas_v2.h>\nint a = dlopen;\n")
    assert report.verdict is Verdict.POLICY_REJECTED
    assert [one.kind for one in report.signals] == ["loader_call"]


def test_a_word_in_comments_or_as_a_member_raises_nothing() -> None:
    source = b"""// cublasCreate dlopen fork
/* .incbin */ struct A { int system(int); int clone, kill; };
int b = a.system(1) + a->system(2) + Scope::system(3) + clone - A::kill(4);
void socket(int);
cudaEvent_t fork = nullptr, join = fork;
int d = alarm + (system) + at - thread(1) + boost::thread(2);
"""
    assert reviewed(source + EXPORT).signals == ()


def test_a_generic_word_counts_where_it_is_called() -> None:
    source = b"system(1);\n(system)(2);\nint a = ::kill(3) + std::system(4);\nreturn clone(5);\n"
    report = reviewed(source + EXPORT)
    assert [(one.kind, [line[:7] for line in one.evidence]) for one in report.signals] == [
        ("process_call", ["line 1:", "line 2:", "line 3:", "line 3:", "line 4:"])
    ]


def test_pasting_stops_at_its_bounds_and_says_so() -> None:
    many = b"".join(b"#define P%d(a) x##a\n" % n for n in range(65))
    assert [one.kind for one in reviewed(many + EXPORT).signals] == ["token_pasting"]
    assert reviewed(many.replace(b"#define P64(a) x##a\n", b"") + EXPORT).signals == ()


def test_macros_that_wrap_each_other_do_not_go_on_for_ever() -> None:
    source = b"#define A(x) B(x) a##x\n#define B(x) A(x)\nint a = A(1);\n"
    assert [one.kind for one in reviewed(source + EXPORT).signals] == ["token_pasting"]


def test_pasting_with_an_argument_that_never_ends_is_unclear() -> None:
    source = b"#define P(a) a##x\nint a = P(" + b"(" * 100 + b";\n"
    assert [one.kind for one in reviewed(source + EXPORT).signals] == ["token_pasting"]


def test_pasting_with_a_string_is_unclear_and_a_name_without_call_is_no_use() -> None:
    source = b"#define P(a, b) a## #b\n#define Q(a) x##a\nint b = P(c, d);\nauto e = Q;\n"
    report = reviewed(source + EXPORT)
    assert [(one.kind, one.evidence) for one in report.signals] == [
        ("token_pasting", ("line 3: int b = P(c, d);",))
    ]


def test_a_missing_argument_is_empty_in_pasting() -> None:
    source = b"#define P(a, b, c) a##b##c\nint a = P(cud, nn) + P((cud), (nn), ());\n"
    kinds = [one.kind for one in reviewed(source + EXPORT).signals]
    assert kinds == ["token_pasting", "pasted_name"]


def test_every_rule_and_every_signal_is_in_words_once() -> None:
    rules = [rule for rule, _ in RULES]
    kinds = [one.kind for one in SIGNALS]
    assert len(set(rules)) == len(rules)
    assert len(set(kinds)) == len(kinds)
    assert all(sentence.endswith((".", "remark.")) for _, sentence in RULES)
    assert all(one.sentence.endswith(".") and one.version == 1 for one in SIGNALS)
