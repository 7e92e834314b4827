"""The plan as a document: canonical, strict, and described by its schema."""

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planned import CUBIN, PLAN, SETUP, TABLE, A, at
from recorded import ARGUMENTS, LIMITS, Process, number, plan_of, word

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import (
    Address,
    AllocStep,
    Assumption,
    AttributeStep,
    ByteRange,
    CopyStep,
    FreeStep,
    LaunchAttribute,
    LaunchSetting,
    LaunchStep,
    MapEncode,
    MapStep,
    MapUse,
    MemsetStep,
    PayloadStep,
    Plan,
    PlanArgument,
    PlanFunction,
    PlanSymbol,
    Relocation,
    Space,
    Stepping,
    Template,
)
from evaluation.core.plan.plan_json import plan_from_json, plan_to_json
from evaluation.core.plan.plan_limits import DOCUMENT_BYTES
from evaluation.core.plan.plan_rules import validate_plan
from evaluation.core.plan.plan_words import describe_plan
from evaluation.core.record.recording import MapMode
from evaluation.core.strict_json import LIMIT_NAME_BYTES
from evaluation.core.verdict import Target

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "evaluation" / "core" / "plan" / "plan_schema.json").read_text()
)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(**changes: object) -> bytes:
    """The sample plan's document with other values at the top."""
    whole = json.loads(plan_to_json(PLAN)) | changes
    return json.dumps(whole, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def step_document(index: int, **changes: object) -> bytes:
    """The sample plan's document with other values in one step of a call."""
    steps = json.loads(plan_to_json(PLAN))["steady"]
    steps[index] |= changes
    return document(steady=steps)


def rule_of(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        plan_from_json(content)
    assert caught.value.where == "plan"
    return f"{caught.value.key}: {caught.value.rule}" if caught.value.key else caught.value.rule


def test_the_document_of_a_small_plan_is_this() -> None:
    small = replace(
        PLAN,
        stack_bytes=4096,
        arguments=ARGUMENTS[:1],
        functions=(PlanFunction("k", (ByteRange(0, 8),)),),
        symbols=(),
        setup=(),
        steady=(
            LaunchStep(
                function="k",
                grid=(1, 2, 3),
                block=(4, 5, 6),
                shared=7,
                cooperative=False,
                settings=(LaunchSetting(LaunchAttribute.CLUSTER, (1, 1, 1)),),
                parameters=Template(bytes(8), (Relocation(0, (at(A, 16),)),)),
            ),
        ),
    )
    assert plan_to_json(small) == (
        b'{"arguments":[{"index":0,"name":"A","output":false,"size":4096}],'
        b'"assumptions":[{"answer":[132],"arguments":[16,0],"call":"cudaDeviceGetAttribute"}],'
        b'"cubin":"cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",'
        b'"device":"h200","functions":[{"name":"k","parameters":[{"end":8,"start":0}]}],"heap_bytes":0,'
        b'"notes":["launch_attribute_dropped"],"problem":"gemm_small","problem_version":1,'
        b'"setup":[],"stack_bytes":4096,"steady":[{"block":[4,5,6],"bytes":"0000000000000000","cooperative":false,'
        b'"function":"k","grid":[1,2,3],"maps":[],"relocations":[{"at":0,"base":["argument:0"],'
        b'"offset":[16]}],"settings":[{"attribute":"cluster","value":[1,1,1]}],"shared":7,'
        b'"step":"launch","stepping":[],"undetermined":[]}],"symbols":[],"target":"hopper",'
        b'"toolchain":"cuda-13.0.88","version":1}'
    )


def test_a_plan_with_every_kind_of_step_comes_back_equal_and_fits_the_schema() -> None:
    content = plan_to_json(PLAN)
    assert plan_from_json(content) == PLAN
    VALIDATOR.validate(json.loads(content))


def test_the_schema_is_a_schema_and_names_version_1() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["properties"]["version"] == {"const": 1}
    assert not VALIDATOR.is_valid(json.loads(document(version=2)))


def test_a_recorded_plan_fits_the_schema_and_comes_back_equal() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once(f"ws{n % 2}", p.alloc)
        p.payload(p.at("table"), word(p.at("A")) + bytes(56) + p.map(p.at("B")))
        p.launch("mapped", p.map(ws) + word(p.at("C")))
        p.k(n)

    plan = plan_of(script)
    content = plan_to_json(plan)
    VALIDATOR.validate(json.loads(content))
    assert plan_from_json(content) == plan


# Nothing but what the writer writes.


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(json.loads(plan_to_json(PLAN)), sort_keys=True).encode(),
        json.dumps(json.loads(plan_to_json(PLAN)), separators=(",", ":")).encode()[:-1] + b" }",
        plan_to_json(PLAN) + b"\n",
        plan_to_json(PLAN).replace(b"gemm", b"\\u0067emm"),
        plan_to_json(PLAN).replace(b'"shared":0', b'"shared":-0'),
    ],
    ids=["spaces", "one space", "line end", "escape", "minus zero"],
)
def test_a_document_in_another_form_is_refused(content: bytes) -> None:
    assert rule_of(content) == "is not in canonical form"


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "is not JSON in UTF-8"),
        (b"[]", "must be an object"),
        (b"{}", "version: is missing"),
        (b'{"a":1,"a":1}', "has a key twice"),
        (plan_to_json(PLAN)[:-1], "is nested deeper than 6, or its brackets do not match"),
        (b'{"a":[[[[[[1]]]]]]}', "is nested deeper than 6, or its brackets do not match"),
        (plan_to_json(PLAN).replace(b'"shared":0', b'"shared":0.0'), "has '0.0' where only"),
        (plan_to_json(PLAN).replace(b'"shared":0', b'"shared":NaN'), "has 'NaN' where only"),
        (
            plan_to_json(PLAN).replace(b'"shared":0', b'"shared":' + b"9" * 5000),
            "has an integer of more than 64 bits",
        ),
        (plan_to_json(PLAN).replace(b"h200", b"h2\xff0"), "is not JSON in UTF-8"),
        (document(more=1), "unknown key 'more'"),
        (document(version=2), "version: must be an integer from 1 to 1"),
        (document(version=True), "version: must be an integer from 1 to 1"),
        (document(target="volta"), "target: must be one of hopper, blackwell"),
        (document(cubin="cd" * 31), "cubin: must have 32 bytes"),
        (document(cubin="CD" * 32), "cubin: must be at most 32 bytes in lower-case hex"),
        (document(device="a\nb"), "device: must be a printable name of at most 4096 bytes"),
        (document(device="x" * 4097), "device: must be a printable name of at most 4096 bytes"),
        (document(notes=[""]), "notes: must be a printable name of at most 4096 bytes"),
        (document(steady={}), "steady: must be a list of 0 to 64 entries"),
        (document(steady=[1]), "steady.0: must be an object"),
        (document(setup=[{}] * 257), "setup: must be a list of 0 to 256 entries"),
        (document(steady=[{"step": "graph"}]), "steady.0.step: must be one of alloc, free, attri"),
        (document(steady=[{"step": []}]), "steady.0.step: must be one of alloc, free, attribute"),
        (document(symbols=[{"name": "t", "space": "shared", "size": 1}]), "symbols.0.space: must"),
        (step_document(3, more=1), "steady.3: unknown key 'more'"),
        (step_document(3, grid=[1, 1]), "steady.3.grid: must be a list of 3 to 3 entries"),
        (step_document(3, grid=[1, 1, -1]), "steady.3.grid: must be an integer from 0 to"),
        (step_document(3, cooperative=0), "steady.3.cooperative: must be true or false"),
        (step_document(3, bytes="0"), "steady.3.bytes: must be at most 32768 bytes in lower-case"),
        (
            step_document(3, settings=[{"attribute": "priority", "value": [1]}]),
            "steady.3.settings.0.attribute: must be one of cluster, preferred_cluster,",
        ),
        (
            step_document(3, relocations=[{"at": 0, "base": ["argument:0"], "offset": []}]),
            "steady.3.relocations.0.offset: must be a list of 1 to 1 entries",
        ),
        (
            step_document(3, relocations=[{"at": 0, "base": ["argument:0"] * 5, "offset": [0]}]),
            "steady.3.relocations.0.base: must be a list of 1 to 4 entries",
        ),
    ],
)  # fmt: skip
def test_a_document_that_breaks_a_rule_is_refused_with_its_place(content: bytes, rule: str) -> None:
    assert rule_of(content).startswith(rule)


@pytest.mark.parametrize(
    "base",
    [
        *("host:0", "argument", "argument:", "argument:x", "argument:-1", "argument:00"),
        *("argument:4294967295123", "allocation:\u0661", "symbol:", "Symbol:t", "argument:1:2"),
    ],
)
def test_an_address_in_anything_else_than_the_three_spaces_is_refused(base: str) -> None:
    place = {"base": [base], "offset": [0]}
    assert rule_of(step_document(2, source=place)) == (
        "steady.2.source.base: must be argument:N, allocation:N or symbol:NAME"
    )


def test_a_large_document_is_refused_before_it_is_read() -> None:
    assert rule_of(bytes(DOCUMENT_BYTES + 1)) == (
        f"has {DOCUMENT_BYTES + 1} bytes; {DOCUMENT_BYTES} are allowed"
    )
    assert rule_of(b"[" + b"1," * 2_000_000 + b"1]").startswith("has more than")


def test_names_of_4_kib_are_read_and_longer_ones_are_not() -> None:
    name = "n" * LIMIT_NAME_BYTES
    step = PayloadStep((replace(TABLE, name=name),), Template(b"x"), 1, 1, 0)
    plan = replace(PLAN, setup=(*SETUP, step))
    assert plan_from_json(plan_to_json(plan)) == plan
    longer = replace(step, destination=(replace(TABLE, name=name + "n"),))
    assert "printable name of at most 4103" in rule_of(
        plan_to_json(replace(PLAN, setup=(*SETUP, longer)))
    )


def test_a_plan_of_sixteen_mebibytes_comes_back_equal() -> None:
    content = bytes(range(256)) * 65536
    step = PayloadStep((TABLE,), Template(content), len(content), 1, 0)
    plan = replace(PLAN, steady=(step,))
    assert plan_from_json(plan_to_json(plan)) == plan


# Everything the writer can write.

NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12
)
SIZES = st.integers(0, 2**64 - 1)
SMALL = st.integers(0, 2**32 - 1)
ADDRESSES = st.one_of(
    st.builds(Address, st.just(Space.ARGUMENT), st.integers(0, 255), st.just(""), SIZES),
    st.builds(Address, st.just(Space.ALLOCATION), st.integers(0, 20000), st.just(""), SIZES),
    st.builds(Address, st.just(Space.SYMBOL), st.just(0), NAMES, SIZES),
)
PLACES = st.lists(ADDRESSES, min_size=1, max_size=4).map(tuple)
AT = st.integers(0, 32768)
RANGES = st.builds(ByteRange, AT, AT)
TEMPLATES = st.builds(
    Template,
    st.binary(max_size=40),
    st.lists(st.builds(Relocation, AT, PLACES), max_size=3).map(tuple),
    st.lists(st.builds(MapUse, AT, st.integers(0, 256)), max_size=3).map(tuple),
)
TRIPLES = st.tuples(SMALL, SMALL, SMALL)
ANSWERS = st.lists(st.one_of(st.integers(-(2**63), 2**64 - 1), NAMES, st.just("")), max_size=4).map(
    tuple
)
CORNERS = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5).map(tuple)
BYTE = st.integers(0, 255)


def lists(most: int, least: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(SIZES, min_size=least, max_size=most).map(tuple)


ENCODES = st.builds(
    MapEncode,
    mode=st.sampled_from(MapMode),
    data_type=BYTE,
    address=PLACES,
    dims=lists(5, 1),
    strides=lists(4),
    box=lists(5),
    element_strides=lists(5, 1),
    interleave=BYTE,
    swizzle=BYTE,
    l2=BYTE,
    fill=BYTE,
    lower=CORNERS,
    upper=CORNERS,
    channels=SMALL,
    pixels=SMALL,
)
STEPS = st.one_of(
    st.builds(AllocStep, st.integers(0, 20000), SIZES),
    st.builds(FreeStep, st.integers(0, 20000)),
    st.builds(AttributeStep, NAMES, BYTE, st.integers(-(2**31), 2**31 - 1)),
    st.builds(MemsetStep, PLACES, SMALL, st.integers(1, 4), SIZES, SIZES, SIZES),
    st.builds(PayloadStep, PLACES, TEMPLATES, SIZES, SIZES, SIZES),
    st.builds(CopyStep, PLACES, PLACES, SIZES, SIZES, SIZES, SIZES),
    st.builds(MapStep, st.integers(0, 20000), ENCODES),
    st.builds(
        LaunchStep,
        function=NAMES,
        grid=TRIPLES,
        block=TRIPLES,
        shared=SMALL,
        cooperative=st.booleans(),
        settings=st.lists(
            st.builds(
                LaunchSetting,
                st.sampled_from(LaunchAttribute),
                st.lists(SMALL, min_size=1, max_size=3).map(tuple),
            ),
            max_size=4,
        ).map(tuple),
        parameters=TEMPLATES,
        undetermined=st.lists(RANGES, max_size=3).map(tuple),
        stepping=st.lists(st.builds(Stepping, AT, st.integers(0, 8), SIZES), max_size=3).map(tuple),
    ),
)
PLANS = st.builds(
    Plan,
    problem=NAMES,
    problem_version=st.integers(1, 2**64 - 1),
    target=st.sampled_from(Target),
    device=NAMES,
    toolchain=NAMES,
    cubin_sha256=st.binary(min_size=32, max_size=32).map(bytes.hex),
    arguments=st.lists(
        st.builds(PlanArgument, st.integers(0, 255), NAMES, st.booleans(), SIZES), max_size=3
    ).map(tuple),
    functions=st.lists(
        st.builds(PlanFunction, NAMES, st.lists(RANGES, max_size=3).map(tuple)), max_size=3
    ).map(tuple),
    symbols=st.lists(
        st.builds(PlanSymbol, NAMES, st.sampled_from(("global", "constant")), SIZES), max_size=2
    ).map(tuple),
    assumptions=st.lists(
        st.builds(
            Assumption,
            st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,20}", fullmatch=True),
            ANSWERS,
            ANSWERS,
        ),
        max_size=2,
    ).map(tuple),
    setup=st.lists(STEPS, max_size=4).map(tuple),
    steady=st.lists(STEPS, max_size=4).map(tuple),
    notes=st.lists(NAMES, max_size=2).map(tuple),
)


@settings(max_examples=60)
@given(PLANS)
def test_everything_the_writer_writes_is_read_back_equal_and_fits_the_schema(plan: Plan) -> None:
    content = plan_to_json(plan)
    assert plan_from_json(content) == plan
    VALIDATOR.validate(json.loads(content))


@settings(max_examples=60)
@given(PLANS)
def test_every_plan_can_be_judged_and_described_whatever_it_says(plan: Plan) -> None:
    found = validate_plan(plan, CUBIN, ARGUMENTS, LIMITS)
    assert (
        found.remarks
    )  # its arguments are none of the problem's, or its kernels none of the cubin
    text = describe_plan(plan)
    assert text.isascii()
    assert max(map(len, text.split("\n"))) < 20_000


@settings(max_examples=150)
@given(st.data())
def test_a_document_with_bytes_changed_is_read_or_refused_and_nothing_else(
    data: st.DataObject,
) -> None:
    content = bytearray(plan_to_json(PLAN))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.sampled_from(b'"{}[]:,\\019a \xff-.'))
    try:
        plan = plan_from_json(bytes(content))
    except InvalidInput as broken:
        assert broken.where == "plan"
    else:
        assert plan_to_json(plan) == bytes(content)
        validate_plan(plan, CUBIN, ARGUMENTS, LIMITS)


def test_numbers_are_written_little_endian_in_bytes() -> None:
    plan = replace(PLAN, steady=(PayloadStep((TABLE,), Template(number(258)), 4, 1, 0),))
    assert b'"bytes":"02010000"' in plan_to_json(plan)
