"""The commands that only look: plans in words, problems as a table."""

import argparse
import json
import sys

from evaluation.adapters.catalogue import packaged
from evaluation.cli import exit_codes, files
from evaluation.cli.asking import problem_of
from evaluation.core.catalogue.problem import Problem, Tolerance, argument_list
from evaluation.core.catalogue.work import flops, input_bytes, output_bytes, required_products
from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.plan.plan_limits import DOCUMENT_BYTES
from evaluation.core.plan.plan_words import describe_plan


def show_plan(options: argparse.Namespace) -> int:
    """Print a plan in words. Raise InvalidInput for what is no plan, Unreadable for what cannot be read."""
    content = files.read(options.file, limit_bytes=DOCUMENT_BYTES + len(b"\n"))
    sys.stdout.write(describe_plan(_plan(files.called(options.file), content)))
    return exit_codes.OK


def _plan(name: str, content: bytes) -> Plan:
    """``record`` ends its output with a line end, which is no part of a plan."""
    try:
        return plan_from_json(content.removesuffix(b"\n"))
    except InvalidInput as broken:
        where = f"{name} is no launch plan"
        raise InvalidInput(where=where, key=broken.key, rule=broken.rule) from broken


def show_problems(options: argparse.Namespace) -> int:
    """Print the problems there are, or one of them."""
    every = options.name is None
    chosen = packaged().problems() if every else (problem_of(options.name, where="problems"),)
    if options.json:
        sys.stdout.write(json.dumps([_row(one) for one in chosen], indent=1) + "\n")
    elif every:
        sys.stdout.write(_table(chosen))
    else:
        sys.stdout.write(_page(chosen[0]))
    return exit_codes.OK


def _row(problem: Problem) -> dict[str, object]:
    return {
        "name": problem.name,
        "title": problem.title,
        "version": problem.version,
        "ranked": problem.ranked,
        "suite": problem.suite,
        "workload": problem.workload,
        "targets": [str(one) for one in problem.targets],
        "families": {str(one): [str(f) for f in problem.families(one)] for one in problem.targets},
        "flops": flops(problem),
        "required_products": required_products(problem),
        "input_bytes": input_bytes(problem),
        "output_bytes": output_bytes(problem),
        "arguments": [
            {
                "name": one.name,
                "output": one.is_output,
                "dtype": str(one.dtype),
                "shape": None if one.shape is None else list(one.shape),
            }
            for one in argument_list(problem)
        ],
    }


def _table(problems: tuple[Problem, ...]) -> str:
    lines = [f"{'problem':<26} {'ranked':<7} {'TFLOP':>8} {'input GB':>9}  title"]
    for one in sorted(problems, key=lambda problem: (not problem.ranked, problem.name)):
        ranked = "yes" if one.ranked else "no"
        lines.append(
            f"{one.name:<26} {ranked:<7} {flops(one) / 1e12:>8.3f} {input_bytes(one) / 1e9:>9.3f}  {one.title}"
        )
    return "\n".join(lines) + "\n"


def _tolerance(tolerance: Tolerance) -> str:
    words = f"|x - y| <= max({tolerance.atol:g}, {tolerance.rtol:g} * |y|), every element"
    if not tolerance.borderline_one_in:
        return words
    return f"{words} but one in {tolerance.borderline_one_in:,}, none beyond four times that"


def _page(problem: Problem) -> str:
    lines = [
        f"{problem.name}, version {problem.version}: {problem.title}",
        f"  suite      {problem.suite}, {'ranked' if problem.ranked else 'not ranked'}",
        f"  workload   {problem.workload}",
        f"  formula    {problem.formula}",
        f"  work       {flops(problem):,} FLOPs; {2 * required_products(problem):,} FLOPs of matrix work needed",
        f"  bytes      {input_bytes(problem):,} in, {output_bytes(problem):,} out",
        f"  tolerance  {_tolerance(problem.tolerance)}",
        f"  baseline   {problem.baseline}",
    ]
    lines += [
        f"  {target:<10} {' or '.join(problem.families(target))}" for target in problem.targets
    ]
    lines.append("  run(")
    for one in argument_list(problem):
        shape = "scalar" if one.shape is None else " x ".join(str(size) for size in one.shape)
        lines.append(
            f"    {'out' if one.is_output else 'in ':<4} {one.name:<4} {one.dtype} {shape}"
        )
    return "\n".join([*lines, "  )"]) + "\n"
