"""Reads a problem from TOML and refuses everything that is not completely right.

The keys, by example, are in evaluation/problems/*.toml. Two of them carry more than their name says:
``axes`` holds the lengths that the definition fixes and ``workload.axes`` those that vary between workloads of one
definition; a ``shape`` is a list of axis names, or "scalar" for an input passed by value, which then has a ``value``
of its type in place of a ``distribution``.
"""

import math
import re

from evaluation.core.catalogue import problem_kinds, work
from evaluation.core.catalogue.device import DEVICE_MEMORY_BYTES
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
    argument_list,
)
from evaluation.core.catalogue.tables import Table, parse, shown_key
from evaluation.core.verdict import Target

FORMAT = 1
LIMIT_INPUTS = 16
LIMIT_OUTPUTS = 8
LIMIT_RANK = 8
LIMIT_AXIS = 2**31 - 1

FEWEST_FOR_ONE = 1_000_000  # no rule of a checked call may be looser than that of later ones
_PROBLEM_NAME = re.compile(r"[a-z][a-z0-9_]{2,63}")
_SUITE_NAME = re.compile(r"[a-z][a-z0-9_]{2,31}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")

_KNOWN_FAMILIES = {
    Target.HOPPER: (Family.GMMA, Family.TMA),
    # An inherited TMA transfer does not show that a kernel uses Blackwell's own instructions.
    Target.BLACKWELL: (Family.TCGEN05,),
}


def load_problem(text: str, *, where: str) -> Problem:
    """Read the problem that ``text`` states, or raise InvalidInput naming ``where``, the key and the rule."""
    top = parse(text, where=where)
    top.only(
        "format", "name", "title", "version", "ranked", "suite", "kind", "causal", "formula",
        "baseline", "input_sets", "axes", "workload", "inputs", "outputs", "tolerance", "bounds",
        "targets",
    )  # fmt: skip
    top.integer("format", low=FORMAT, high=FORMAT)
    kind = top.word("kind", Kind)
    axes = _axes(top)
    inputs = tuple(_input(one) for one in top.tables("inputs", limit=LIMIT_INPUTS))
    outputs = tuple(_output(one) for one in top.tables("outputs", limit=LIMIT_OUTPUTS))
    _names_are_sound(top, axes, inputs, outputs)
    problem_kinds.letters(kind, inputs, outputs, where=where)
    problem = Problem(
        name=top.name(
            "name", _PROBLEM_NAME, like="3 to 64 lower-case letters, digits and _, a letter first"
        ),
        title=top.line("title", limit=120),
        version=top.integer("version", low=1, high=1_000_000),
        ranked=top.flag("ranked"),
        suite=top.name("suite", _SUITE_NAME, like="3 to 32 lower-case letters, digits and _"),
        kind=kind,
        causal=_causal(top, kind),
        formula=top.line("formula", limit=400),
        workload=top.table("workload").name(
            "uuid", _UUID, like="a uuid as 8-4-4-4-12 lower-case hexadecimal digits"
        ),
        axes=axes,
        inputs=inputs,
        outputs=outputs,
        input_sets=top.integer("input_sets", low=1, high=16),
        tolerance=_tolerance(top.table("tolerance")),
        bounds=_bounds(top.table("bounds")),
        baseline=_baseline(top, kind),
        asked=_asked(top.table("targets")),
    )
    _sizes_are_sound(top, problem)
    return problem


def _axes(top: Table) -> tuple[Axis, ...]:
    """Axes of the definition in the order of the file, then those that the workload gives."""
    workload = top.table("workload")
    workload.only("uuid", "axes")
    given = workload.table("axes")
    fixed = top.table("axes")
    for name in given.entries:
        if fixed.has(name):
            raise given.broken(shown_key(name), "is fixed by the definition under [axes] already")
    return _lengths(fixed, fixed=True) + _lengths(given, fixed=False)


def _lengths(table: Table, *, fixed: bool) -> tuple[Axis, ...]:
    found: list[Axis] = []
    for name in table.entries:
        if not _NAME.fullmatch(name):
            rule = "an axis has a name of at most 32 letters, digits and _, a letter first"
            raise table.broken(shown_key(name), rule)
        found.append(Axis(name, table.integer(name, low=1, high=LIMIT_AXIS), fixed))
    return tuple(found)


def _input(table: Table) -> Input:
    name = _argument_name(table)
    dtype = table.word("dtype", DType)
    if table.entry("shape") == "scalar":
        table.only("name", "dtype", "shape", "value")
        return Input(name, dtype, None, Distribution.FIXED, _scalar(table, dtype))
    table.only("name", "dtype", "shape", "distribution")
    distribution = table.word("distribution", Distribution)
    if distribution is Distribution.FIXED:
        raise table.broken("distribution", "fixed is for scalars, which state a value instead")
    return Input(name, dtype, _shape(table), distribution)


def _output(table: Table) -> Output:
    table.only("name", "dtype", "shape")
    return Output(_argument_name(table), table.word("dtype", DType), _shape(table))


def _argument_name(table: Table) -> str:
    return table.name("name", _NAME, like="at most 32 letters, digits and _, a letter first")


def _shape(table: Table) -> tuple[str, ...]:
    if isinstance(table.entry("shape"), str):
        raise table.broken("shape", 'must be a list of axis names, or "scalar" for an input')
    return table.names("shape", _NAME, limit=LIMIT_RANK)


def _scalar(table: Table, dtype: DType) -> int | float:
    # A recorded plan holds for one value only, so every scalar states its value.
    if dtype is DType.BOOL:
        return int(table.flag("value"))
    if dtype.is_integer:
        half = 2 ** (dtype.dlpack_bits - 1)
        return table.integer("value", low=-half, high=half - 1)
    return table.number("value", low=-3.0e38, high=3.0e38)


def _causal(top: Table, kind: Kind) -> bool:
    if problem_kinds.layout(kind).masked:
        return top.flag("causal")
    if top.has("causal"):
        raise top.broken("causal", f"a {kind} has no mask; leave this key out")
    return False


def _baseline(top: Table, kind: Kind) -> Baseline:
    named = top.word("baseline", Baseline)
    if named is not problem_kinds.layout(kind).baseline:
        rule = f"{named} does not compute a {kind}; use {problem_kinds.layout(kind).baseline}"
        raise top.broken("baseline", rule)
    return named


def _tolerance(table: Table) -> Tolerance:
    table.only("atol", "rtol", "borderline_one_in")
    borderline = 0
    if table.has("borderline_one_in"):
        borderline = table.integer("borderline_one_in", low=FEWEST_FOR_ONE, high=1_000_000_000)
    return Tolerance(
        atol=table.number("atol", low=1e-9, high=1.0),
        rtol=table.number("rtol", low=1e-9, high=1.0),
        borderline_one_in=borderline,
    )


def _bounds(table: Table) -> Bounds:
    table.only("call_seconds", "gpu_seconds", "precision_grade", "excess_work")
    bounds = Bounds(
        call_seconds=table.integer("call_seconds", low=1, high=600),
        gpu_seconds=table.integer("gpu_seconds", low=1, high=3600),
        precision_grade=table.number("precision_grade", low=1.0, high=1000.0),
        excess_work=table.number("excess_work", low=1.0, high=1_000_000.0),
    )
    if bounds.gpu_seconds < bounds.call_seconds:
        raise table.broken("gpu_seconds", "must not be less than call_seconds")
    return bounds


def _asked(table: Table) -> tuple[Asked, ...]:
    table.only(*(target.value for target in Target))
    found: list[Asked] = []
    for target in Target:
        if table.has(target):
            asked = Asked(target, table.words(target, Family))
            for family in asked.families:
                if family not in _KNOWN_FAMILIES[target]:
                    allowed = ", ".join(_KNOWN_FAMILIES[target])
                    raise table.broken(target, f"{family} does not count here; allowed: {allowed}")
            found.append(asked)
    if not found:
        raise table.broken("", "states no target; a problem exists for at least one")
    return tuple(found)


def _names_are_sound(
    top: Table, axes: tuple[Axis, ...], inputs: tuple[Input, ...], outputs: tuple[Output, ...]
) -> None:
    seen: set[str] = set()
    known = {axis.name for axis in axes}
    used: set[str] = set()
    for side, arguments in (("inputs", inputs), ("outputs", outputs)):
        for one in arguments:
            if one.name in seen:
                raise top.broken(f"{side}.{one.name}.name", "is the name of another argument")
            seen.add(one.name)
            for axis in one.shape or ():
                if axis not in known:
                    raise top.broken(f"{side}.{one.name}.shape", f"there is no axis {axis}")
                used.add(axis)
    for axis_name in sorted(known - used):
        raise top.broken(f"axes.{axis_name}", "no shape uses this axis")


def _sizes_are_sound(top: Table, problem: Problem) -> None:
    total = sum(one.size_bytes for one in argument_list(problem))
    if total > DEVICE_MEMORY_BYTES:
        rule = (
            f"all arguments together are {total} bytes; at most {DEVICE_MEMORY_BYTES} are allowed"
        )
        raise top.broken("axes", rule)
    honest = work.honest_excess(problem)
    if problem.bounds.excess_work < honest:
        rule = (
            f"an honest kernel of this shape may execute {math.ceil(honest * 100) / 100} times the "
            "required work by padding, masking and two passes; the limit must not be lower"
        )
        raise top.broken("bounds.excess_work", rule)
