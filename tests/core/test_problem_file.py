import re
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import (
    Asked,
    Axis,
    Baseline,
    Bounds,
    Distribution,
    Family,
    Input,
    Kind,
    Output,
    Problem,
    Tolerance,
)
from evaluation.core.catalogue.problem_file import load_problem
from evaluation.core.errors import InvalidInput
from evaluation.core.verdict import Target

SCALED = """\
format = 1
name = "gemm_scaled"
title = "A scaled product"
version = 3
ranked = false
suite = "tests"
kind = "gemm"
formula = "C[m,n] = alpha * sum over k of A[m,k] * B[n,k]"
baseline = "cublas_matmul"
input_sets = 2

[axes]
N = 256
K = 64

[workload]
uuid = "94920358-01a8-4c5b-9209-3103fd490e94"
axes = { M = 128 }

[[inputs]]
name = "A"
dtype = "bfloat16"
shape = ["M", "K"]
distribution = "normal"

[[inputs]]
name = "B"
dtype = "bfloat16"
shape = ["N", "K"]
distribution = "normal"

[[inputs]]
name = "alpha"
dtype = "float32"
shape = "scalar"
value = 0.5

[[outputs]]
name = "C"
dtype = "float32"
shape = ["M", "N"]

[tolerance]
atol = 1e-2
rtol = 2e-2

[bounds]
call_seconds = 10
gpu_seconds = 60
precision_grade = 4
excess_work = 3.0

[targets]
hopper = ["gmma", "tma"]
blackwell = ["tcgen05"]
"""

BACKWARD = """\
format = 1
name = "mha_bwd_small"
title = "Attention backward"
version = 1
ranked = false
suite = "tests"
kind = "attention_backward"
causal = true
formula = "dQ, dK, dV of softmax(Q K') V"
baseline = "cudnn_sdpa_backward"
input_sets = 1
axes = { B = 1, H = 2, d = 64 }
workload = { uuid = "38c3b07c-f006-5f5e-9860-ba214c805a6b", axes = { S = 256 } }
tolerance = { atol = 1e-2, rtol = 1e-2 }
bounds = { call_seconds = 1, gpu_seconds = 1, precision_grade = 4.0, excess_work = 3.0 }
targets = { hopper = ["gmma"] }
inputs = [
  { name = "Q", dtype = "bfloat16", shape = ["B", "H", "S", "d"], distribution = "normal" },
  { name = "K", dtype = "bfloat16", shape = ["B", "H", "S", "d"], distribution = "normal" },
  { name = "V", dtype = "bfloat16", shape = ["B", "H", "S", "d"], distribution = "normal" },
  { name = "O", dtype = "bfloat16", shape = ["B", "H", "S", "d"], distribution = "vendor_forward_output" },
  { name = "dO", dtype = "bfloat16", shape = ["B", "H", "S", "d"], distribution = "normal" },
  { name = "L", dtype = "float32", shape = ["B", "H", "S"], distribution = "vendor_forward_lse" },
]
outputs = [
  { name = "dQ", dtype = "bfloat16", shape = ["B", "H", "S", "d"] },
  { name = "dK", dtype = "bfloat16", shape = ["B", "H", "S", "d"] },
  { name = "dV", dtype = "bfloat16", shape = ["B", "H", "S", "d"] },
]
"""


def changed(text: str, old: str, new: str) -> str:
    """Replace one place, and fail the test if it is not there or not the only one."""
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    return text.replace(old, new)


def refusal(text: str) -> tuple[str, str]:
    """Key and rule of the refusal; the file is always named."""
    with pytest.raises(InvalidInput) as caught:
        load_problem(text, where="p.toml")
    assert caught.value.where == "p.toml"
    return caught.value.key, caught.value.rule


def test_every_key_of_a_file_arrives_in_the_record() -> None:
    assert load_problem(SCALED, where="p.toml") == Problem(
        name="gemm_scaled",
        title="A scaled product",
        version=3,
        ranked=False,
        suite="tests",
        kind=Kind.GEMM,
        causal=False,
        formula="C[m,n] = alpha * sum over k of A[m,k] * B[n,k]",
        workload="94920358-01a8-4c5b-9209-3103fd490e94",
        axes=(
            Axis("N", 256, fixed=True),
            Axis("K", 64, fixed=True),
            Axis("M", 128, fixed=False),
        ),
        inputs=(
            Input("A", DType.BFLOAT16, ("M", "K"), Distribution.NORMAL),
            Input("B", DType.BFLOAT16, ("N", "K"), Distribution.NORMAL),
            Input("alpha", DType.FLOAT32, None, Distribution.FIXED, 0.5),
        ),
        outputs=(Output("C", DType.FLOAT32, ("M", "N")),),
        input_sets=2,
        tolerance=Tolerance(atol=0.01, rtol=0.02),
        bounds=Bounds(call_seconds=10, gpu_seconds=60, precision_grade=4.0, excess_work=3.0),
        baseline=Baseline.CUBLAS_MATMUL,
        asked=(
            Asked(Target.HOPPER, (Family.GMMA, Family.TMA)),
            Asked(Target.BLACKWELL, (Family.TCGEN05,)),
        ),
    )


def test_a_problem_may_exist_for_one_target_and_be_causal() -> None:
    problem = load_problem(BACKWARD, where="p.toml")
    assert problem.targets == (Target.HOPPER,)
    assert problem.families(Target.BLACKWELL) == ()
    assert problem.causal


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        ("format = 1\n", "", "format", "missing"),
        ("format = 1", "format = 2", "format", "an integer from 1 to 1"),
        ("format = 1", "format = true", "format", "an integer"),
        ('name = "gemm_scaled"', 'name = "Gemm"', "name", "lower-case"),
        ('name = "gemm_scaled"', 'name = "../gemm"', "name", "lower-case"),
        ('name = "gemm_scaled"', "name = 7", "name", "lower-case"),
        ('title = "A scaled product"', 'title = ""', "title", "1 to 120 characters"),
        ('title = "A scaled product"', 'title = "a\\nb"', "title", "one line"),
        ('title = "A scaled product"', 'title = " a"', "title", "without space"),
        ('title = "A scaled product"', 'title = "\\u202egnp.exe"', "title", "printable"),
        ('title = "A scaled product"', "title = 1.5", "title", "must be text"),
        ("version = 3", "version = 0", "version", "from 1"),
        ("version = 3", "version = 3.0", "version", "an integer"),
        ("ranked = false", 'ranked = "no"', "ranked", "true or false"),
        ('suite = "tests"', 'suite = "T"', "suite", "lower-case"),
        ('kind = "gemm"', 'kind = "convolution"', "kind", "'convolution' is not one of: gemm, "),
        ('kind = "gemm"', "kind = 1", "kind", "'int' is not one of"),
        ('kind = "gemm"', 'kind = "gemm"\ncausal = true', "causal", "a gemm has no mask"),
        ('"cublas_matmul"', '"cudnn_sdpa_forward"', "baseline", "use cublas_matmul"),
        ('"cublas_matmul"', '"cutlass"', "baseline", "not one of"),
        ("input_sets = 2", "input_sets = 0", "input_sets", "from 1 to 16"),
        ("input_sets = 2", "input_sets = 2\nseed = 1", "seed", "unknown key; allowed here: format,"),
        ("N = 256", "N = 0", "axes.N", "from 1 to 2147483647"),
        ("N = 256", "N = 2147483648", "axes.N", "from 1 to 2147483647"),
        ("N = 256", "N = 2.5", "axes.N", "an integer"),
        ("N = 256", 'N = 256\n"a b" = 1', "axes.'a b'", "letters, digits"),
        ("N = 256", "N = 256\nZ = 4", "axes.Z", "no shape uses"),
        ("axes = { M = 128 }", "axes = { M = 128, N = 1 }", "workload.axes.N", "[axes] already"),
        ("axes = { M = 128 }", "axes = {}", "inputs.A.shape", "there is no axis M"),
        ("axes = { M = 128 }", "axes = 1", "workload.axes", "must be a table"),
        ("axes = { M = 128 }", "axes = { M = 128 }\nx = 1", "workload.x", "unknown key"),
        ("01a8-4c5b", "01a8-4C5B", "workload.uuid", "8-4-4-4-12 lower-case"),
        ('"94920358-', '"94920358', "workload.uuid", "8-4-4-4-12"),
        ('name = "A"', 'name = "A B"', "inputs.0.name", "letters, digits"),
        ('name = "A"', 'name = "B"', "inputs.B.name", "another argument"),
        ('name = "C"', 'name = "alpha"', "outputs.alpha.name", "another argument"),
        ('shape = ["M", "K"]', 'shape = ["M", "Q"]', "inputs.A.shape", "there is no axis Q"),
        ('shape = ["M", "K"]', 'shape = ["M", 1]', "inputs.A.shape", "list of names"),
        ('shape = ["M", "K"]', "shape = []", "inputs.A.shape", "1 to 8 entries"),
        ('shape = ["M", "K"]', "shape = 4", "inputs.A.shape", "a list"),
        ('shape = ["M", "K"]', 'shape = "null"', "inputs.A.shape", '"scalar" for an input'),
        ('shape = ["M", "K"]', 'shape = ["K", "M"]', "inputs.B.shape", "the place of B[n,k]"),
        ('shape = ["M", "K"]', 'shape = ["M", "K", "K"]', "inputs.A.shape", "place of A[m,k]"),
        ('shape = ["N", "K"]', 'shape = ["M", "K"]', "inputs.B.shape", "two letters are two axes"),
        ('shape = ["M", "N"]', 'shape = ["N", "M"]', "outputs.C.shape", "place of C[m,n]"),
        ('shape = ["M", "N"]', 'shape = "scalar"', "outputs.C.shape", "a list of axis names"),
        ('"B"\ndtype = "bfloat16"', '"B"\ndtype = "float16"', "inputs.B.dtype", "bfloat16 as A"),
        ('"A"\ndtype = "bfloat16"', '"A"\ndtype = "int8"', "inputs.A.dtype", "floating type"),
        ('"A"\ndtype = "bfloat16"', '"A"\ndtype = "bf16"', "inputs.A.dtype", "bfloat16, float16,"),
        ('"A"\ndtype = "bfloat16"', '"A"\n', "inputs.A.dtype", "missing"),
        ("value = 0.5", "", "inputs.alpha.value", "missing"),
        ("value = 0.5", "value = nan", "inputs.alpha.value", "a number"),
        ("value = 0.5", "value = inf", "inputs.alpha.value", "a number"),
        ("value = 0.5", "value = true", "inputs.alpha.value", "a number"),
        ("value = 0.5", 'value = 1.0\ndistribution = "fixed"', "inputs.alpha.distribution", "unknown"),
        ('shape = "scalar"\nvalue = 0.5', "shape = 1\nvalue = 1", "inputs.alpha.value", "unknown key"),
        ("atol = 1e-2", "atol = 0.0", "tolerance.atol", "from 1e-09 to 1.0"),
        ("rtol = 2e-2", "rtol = 1.5", "tolerance.rtol", "from 1e-09 to 1.0"),
        ("rtol = 2e-2", "", "tolerance.rtol", "missing"),
        ("rtol = 2e-2", "rtol = 2e-2\nxtol = 1", "tolerance.xtol", "unknown key"),
        (
            "rtol = 2e-2",
            "rtol = 2e-2\nborderline_one_in = 999_999",
            "tolerance.borderline_one_in",
            "from 1000000 to 1000000000",
        ),
        ("call_seconds = 10", "call_seconds = 61", "bounds.gpu_seconds", "not be less than"),
        ("call_seconds = 10", "call_seconds = 0", "bounds.call_seconds", "from 1 to 600"),
        ("gpu_seconds = 60", "gpu_seconds = 3601", "bounds.gpu_seconds", "from 1 to 3600"),
        ("precision_grade = 4", "precision_grade = 0.5", "bounds.precision_grade", "from 1.0"),
        ("excess_work = 3.0", "excess_work = 0.9", "bounds.excess_work", "from 1.0"),
        ("excess_work = 3.0", "excess_work = 3.0\nx = 1", "bounds.x", "unknown key"),
        ('["gmma", "tma"]', '["tcgen05"]', "targets.hopper", "allowed: gmma, tma"),
        ('["tcgen05"]', '["tma"]', "targets.blackwell", "allowed: tcgen05"),
        ('["tcgen05"]', '["tcgen05", "tcgen05"]', "targets.blackwell", "states a word twice"),
        ('["tcgen05"]', "[]", "targets.blackwell", "1 to 3 entries"),
        ('["tcgen05"]', '["mma"]', "targets.blackwell", "'mma' is not one of"),
        ('blackwell = ["tcgen05"]', 'ampere = ["gmma"]', "targets.ampere", "unknown key"),
        (
            'hopper = ["gmma", "tma"]\nblackwell = ["tcgen05"]\n',
            "",
            "targets",
            "at least one",
        ),
    ],
)  # fmt: skip
def test_a_broken_rule_is_named_with_its_key(old: str, new: str, key: str, rule: str) -> None:
    found_key, found_rule = refusal(changed(SCALED, old, new))
    assert (found_key, rule in found_rule) == (key, True), found_rule


@pytest.mark.parametrize(
    ("old", "new", "key", "rule"),
    [
        ("causal = true\n", "", "causal", "missing"),
        ('"L", dtype = "float32"', '"L", dtype = "bfloat16"', "inputs.L.dtype", "float32"),
        ('"vendor_forward_output"', '"normal"', "inputs.O.distribution", "vendor_forward_output"),
        ('"vendor_forward_lse"', '"normal"', "inputs.L.distribution", "vendor_forward_lse"),
        ('"vendor_forward_lse"', '"fixed"', "inputs.L.distribution", "for scalars"),
        ("excess_work = 3.0", "excess_work = 2.7", "bounds.excess_work", "2.79 times"),
        ("bounds = {", "bounds = 4 #", "bounds", "must be a table"),
        ("{ S = 256 }", "{ S = 2000000000 }", "axes", "at most 25769803776"),
    ],
)  # fmt: skip
def test_an_attention_has_rules_of_its_own(old: str, new: str, key: str, rule: str) -> None:
    found_key, found_rule = refusal(changed(BACKWARD, old, new))
    assert (found_key, rule in found_rule) == (key, True), found_rule


def test_a_tensor_more_or_less_is_refused_with_the_list_of_roles() -> None:
    without_l = re.sub(r"  \{ name = \"L\".*\n", "", BACKWARD)
    key, rule = refusal(without_l)
    assert key == "inputs"
    assert "6 tensors" in rule
    assert "Q[b,h,s,d], K[b,h,s,d], V[b,h,s,d], O[b,h,s,d], dO[b,h,s,d], L[b,h,s]" in rule
    key, rule = refusal(changed(BACKWARD, '"B", "H", "S", "d"] },\n]', '"B", "H", "S", "d"] },\n{ name = "x", dtype = "int8", shape = ["B"] } ]'))  # fmt: skip
    assert key == "outputs"
    assert "3 tensors" in rule


def test_arguments_must_be_written_as_tables() -> None:
    head, rest = SCALED.split("[[outputs]]")
    tail = rest.split("[tolerance]")[1]
    key, rule = refusal(f"outputs = [1]\n{head}[tolerance]{tail}")
    assert (key, rule) == ("outputs", "must be tables, written as [[outputs]]")
    key, rule = refusal(f"outputs = []\n{head}[tolerance]{tail}")
    assert (key, rule) == ("outputs", "must be a list of 1 to 8 entries")
    key, rule = refusal(f"{head}[tolerance]{tail}")
    assert (key, rule) == ("outputs", "missing; this key is required")


@pytest.mark.parametrize(
    ("dtype", "value", "kept"),
    [
        ("bool", "true", 1),
        ("bool", "false", 0),
        ("int8", "-128", -128),
        ("int32", "2147483647", 2147483647),
        ("int64", "-9223372036854775808", -(2**63)),
        ("float32", "3", 3.0),
        ("bfloat16", "-1.5", -1.5),
    ],
)
def test_a_scalar_keeps_its_value(dtype: str, value: str, kept: float) -> None:
    text = changed(SCALED, '"float32"\nshape = "scalar"\nvalue = 0.5', f'"{dtype}"\nshape = "scalar"\nvalue = {value}')  # fmt: skip
    scalar = load_problem(text, where="p.toml").inputs[2]
    assert (scalar.value, type(scalar.value)) == (kept, type(kept))
    assert scalar.shape is None


@pytest.mark.parametrize(
    ("dtype", "value"),
    [("bool", "1"), ("int8", "128"), ("int8", "-129"), ("int64", "9223372036854775808"), ("int32", "1.0"), ("int32", "true"), ("float16", '"1"'), ("float32", "1e300")],
)  # fmt: skip
def test_a_scalar_value_outside_its_type_is_refused(dtype: str, value: str) -> None:
    text = changed(SCALED, '"float32"\nshape = "scalar"\nvalue = 0.5', f'"{dtype}"\nshape = "scalar"\nvalue = {value}')  # fmt: skip
    assert refusal(text)[0] == "inputs.alpha.value"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("#" * 399 + "\n" + "# \n" * 12000, "longer than 32768 characters"),
        ("a = " + "1" * 5000, "has a line of more than 400 characters"),
        ("a." * 300 + "b = 1", "has a line of more than 400 characters"),
        ("a = " + "[" * 100 + "\n" + "[" * 100, "has more than 128 opening brackets"),
        ("x = [\n" + "{a=\n" * 130, "has more than 128 opening brackets"),
        ("a = 1\na = 2", "not TOML: "),
        ("a = 2026-02-31", "not TOML: "),
        ("a = 25:61:00", "not TOML: "),
        ("a = [1", "not TOML: "),
        ("a = " + "[" * 128, "not TOML: "),
        ("\x00", "not TOML: "),
        ("\r", "not TOML: "),
    ],
)
def test_what_is_no_bounded_document_is_refused_before_any_key(text: str, rule: str) -> None:
    key, found = refusal(text)
    assert key == ""
    assert found.startswith(rule)


def test_an_empty_document_misses_its_format() -> None:
    assert refusal("") == ("format", "missing; this key is required")


def test_a_long_or_strange_key_is_shown_short_and_plain() -> None:
    key, rule = refusal('"' + "\\u202e" + "x" * 300 + '" = 1')
    assert key == "'\\u202e" + "x" * 39 + "...'"
    assert rule.startswith("unknown key")


@given(st.text(max_size=2000))
@example("[[a]]\n[a.b]\n[[a.b]]")
@example("a = 1979-05-27T07:32:00+24:60")
@example("inputs = [[[]]]")
@settings(max_examples=400)
def test_any_text_is_a_problem_or_a_named_refusal(text: str) -> None:
    with pytest.raises(InvalidInput):
        load_problem(text, where="p.toml")


_PIECES = st.sampled_from(
    ['"', "'", "[", "]", "{", "}", "=", ".", ",", "\n", "#", "\\", "[[", "inf", "nan", "-", "1e999",
     "true", "0x", "2026-01-01", "scalar", "shape = ", "a.b.c = 1\n", "\ud7ff", "\x7f", "[inputs]\n"]
)  # fmt: skip
_EDITS = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=len(SCALED) - 1),
        st.integers(min_value=0, max_value=40),
        st.one_of(_PIECES, st.text(alphabet=string.printable, max_size=6)),
    ),
    min_size=1,
    max_size=4,
)


@given(_EDITS)
@settings(max_examples=600)
def test_a_damaged_file_is_a_problem_or_a_named_refusal(edits: list[tuple[int, int, str]]) -> None:
    text = SCALED
    for start, length, piece in edits:
        text = text[:start] + piece + text[start + length :]
    try:
        problem = load_problem(text, where="p.toml")
    except InvalidInput as refused:
        assert refused.where == "p.toml"
        assert refused.rule
        assert len(str(refused)) < 1000
    else:
        assert problem.kind is Kind.GEMM


_VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(min_value=-(2**70), max_value=2**70),
        st.sampled_from(["1.0", "inf", "nan", "-0.0", '""', '"scalar"', '"M"', "2026-01-01", "07:32:00"]),
    ).map(lambda value: str(value).lower() if not isinstance(value, str) else value),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda found: "[" + ", ".join(found) + "]"),
        st.lists(inner, max_size=2).map(
            lambda found: "{" + ", ".join(f"k{i} = {one}" for i, one in enumerate(found)) + "}"
        ),
    ),
    max_leaves=6,
)  # fmt: skip
_LINES = tuple(
    index for index, line in enumerate(SCALED.splitlines()) if re.match(r"[a-zA-Z_]+ = ", line)
)


@given(st.sampled_from(_LINES), _VALUES)
@settings(max_examples=600)
def test_a_value_of_any_other_type_is_taken_or_refused_by_key(index: int, value: str) -> None:
    lines = SCALED.splitlines()
    name = lines[index].split(" = ")[0]
    lines[index] = f"{name} = {value}"
    try:
        load_problem("\n".join(lines), where="p.toml")
    except InvalidInput as refused:
        assert refused.key
