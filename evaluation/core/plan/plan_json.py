"""The launch plan as a document: canonical JSON of version 1 (plan_schema.json, docs/plan.md).

One plan has one document: keys sorted, no spaces, integers only, bytes in lower-case hex. The
reader takes hostile bytes and accepts nothing but what the writer would write.
"""

import json

from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import (
    VERSION,
    Assumption,
    ByteRange,
    Plan,
    PlanArgument,
    PlanFunction,
    PlanSymbol,
    Step,
)
from evaluation.core.plan.plan_json_steps import read_range, read_step, write_range, write_step
from evaluation.core.plan.plan_limits import (
    ASSUMPTIONS,
    DOCUMENT_BYTES,
    DOCUMENT_DEPTH,
    DOCUMENT_MARKS,
    SETUP_STEPS,
    STEADY_STEPS,
)
from evaluation.core.strict_json import Fields, count_marks, parse_object
from evaluation.core.verdict import Target

WHERE = "plan"

_SHA256_BYTES = 32
_ARGUMENTS = 256
_FUNCTIONS = SETUP_STEPS + STEADY_STEPS
_SYMBOLS = 4096
_PARAMETERS = 4096
_NOTES = 16
_KEYS = (
    *("version", "problem", "problem_version", "target", "device", "toolchain", "cubin"),
    *("arguments", "functions", "symbols", "assumptions", "setup", "steady", "notes"),
    *("stack_bytes", "heap_bytes"),
)


def plan_to_json(plan: Plan) -> bytes:
    """Write the one document of a plan."""
    document = {
        "version": VERSION,
        "problem": plan.problem,
        "problem_version": plan.problem_version,
        "target": str(plan.target),
        "device": plan.device,
        "toolchain": plan.toolchain,
        "cubin": plan.cubin_sha256,
        "arguments": [_argument(one) for one in plan.arguments],
        "functions": [
            {"name": one.name, "parameters": [write_range(part) for part in one.parameters]}
            for one in plan.functions
        ],
        "symbols": [
            {"name": one.name, "space": one.space, "size": one.size} for one in plan.symbols
        ],
        "assumptions": [
            {"call": one.call, "arguments": list(one.arguments), "answer": list(one.answer)}
            for one in plan.assumptions
        ],
        "setup": [write_step(step) for step in plan.setup],
        "steady": [write_step(step) for step in plan.steady],
        "notes": list(plan.notes),
        "stack_bytes": plan.stack_bytes,
        "heap_bytes": plan.heap_bytes,
    }
    return _canonical(document)


def plan_from_json(content: bytes) -> Plan:
    """Read a document or raise InvalidInput; ``plan_rules.validate_plan`` judges what it says."""
    if len(content) > DOCUMENT_BYTES:
        rule = f"has {len(content)} bytes; {DOCUMENT_BYTES} are allowed"
        raise InvalidInput(where=WHERE, key="", rule=rule)
    count_marks(content, where=WHERE, key="", depth=DOCUMENT_DEPTH, marks=DOCUMENT_MARKS)
    plan = _plan(parse_object(content, where=WHERE, key=""))
    if plan_to_json(plan) != content:
        raise InvalidInput(where=WHERE, key="", rule="is not in canonical form")
    return plan


def _canonical(document: dict[str, object]) -> bytes:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8")


def _argument(argument: PlanArgument) -> dict[str, object]:
    return {
        "index": argument.index,
        "name": argument.name,
        "output": argument.is_output,
        "size": argument.size,
    }


def _plan(fields: Fields) -> Plan:
    fields.exactly(*_KEYS)
    fields.integer("version", low=VERSION, high=VERSION)
    return Plan(
        problem=fields.name("problem"),
        problem_version=fields.integer("problem_version", low=1),
        target=Target(fields.one_of("target", tuple(Target))),
        device=fields.name("device"),
        toolchain=fields.name("toolchain"),
        cubin_sha256=_sha256(fields),
        arguments=tuple(
            _read_argument(one) for one in fields.children("arguments", most=_ARGUMENTS)
        ),
        functions=tuple(
            _read_function(one) for one in fields.children("functions", most=_FUNCTIONS)
        ),
        symbols=tuple(_read_symbol(one) for one in fields.children("symbols", most=_SYMBOLS)),
        assumptions=tuple(
            _read_assumption(one) for one in fields.children("assumptions", most=ASSUMPTIONS)
        ),
        setup=_read_steps(fields, "setup", SETUP_STEPS),
        steady=_read_steps(fields, "steady", STEADY_STEPS),
        notes=fields.names("notes", most=_NOTES),
        stack_bytes=fields.integer("stack_bytes"),
        heap_bytes=fields.integer("heap_bytes"),
    )


def _sha256(fields: Fields) -> str:
    digest = fields.hexadecimal("cubin", limit_bytes=_SHA256_BYTES)
    if len(digest) != _SHA256_BYTES:
        raise fields.broken("cubin", f"must have {_SHA256_BYTES} bytes")
    return digest.hex()


def _read_steps(fields: Fields, key: str, most: int) -> tuple[Step, ...]:
    return tuple(read_step(one) for one in fields.children(key, most=most))


def _read_argument(fields: Fields) -> PlanArgument:
    fields.exactly("index", "name", "output", "size")
    return PlanArgument(
        index=fields.integer("index", high=_ARGUMENTS - 1),
        name=fields.name("name"),
        is_output=fields.flag("output"),
        size=fields.integer("size"),
    )


def _read_function(fields: Fields) -> PlanFunction:
    fields.exactly("name", "parameters")
    parameters: tuple[ByteRange, ...] = tuple(
        read_range(one) for one in fields.children("parameters", most=_PARAMETERS)
    )
    return PlanFunction(fields.name("name"), parameters)


def _read_symbol(fields: Fields) -> PlanSymbol:
    fields.exactly("name", "space", "size")
    space = fields.one_of("space", ("global", "constant"))
    return PlanSymbol(fields.name("name"), space, fields.integer("size"))


def _read_assumption(fields: Fields) -> Assumption:
    fields.exactly("call", "arguments", "answer")
    return Assumption(
        call=fields.word("call"),
        arguments=fields.answers("arguments", most=16),
        answer=fields.answers("answer", most=16),
    )
