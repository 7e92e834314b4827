"""The commands that only look: plans in words, problems as a table."""

import argparse
import json
import sys
from pathlib import Path

from evaluation.adapters.catalogue import packaged
from evaluation.cli import exit_codes
from evaluation.core.plan_json import plan_from_json
from evaluation.core.plan_limits import DOCUMENT_BYTES
from evaluation.core.plan_words import describe_plan
from evaluation.core.problem import Problem, argument_list
from evaluation.core.work import flops, input_bytes, output_bytes, required_products


def show_plan(options: argparse.Namespace) -> int:
    try:
        if options.file == "-":
            content = sys.stdin.buffer.read(DOCUMENT_BYTES + 1)
        else:
            with Path(options.file).open("rb") as stream:
                content = stream.read(DOCUMENT_BYTES + 1)
    except OSError as error:
        sys.stderr.write(f"ptxboard: cannot read {options.file}: {error.strerror}\n")
        return exit_codes.NO_INPUT
    sys.stdout.write(describe_plan(plan_from_json(content.removesuffix(b"\n"))))
    return exit_codes.OK


def show_problems(options: argparse.Namespace) -> int:
    catalogue = packaged()
    chosen = (catalogue.problem(options.name),) if options.name else catalogue.problems()
    if options.json:
        sys.stdout.write(json.dumps([_row(one) for one in chosen], indent=1) + "\n")
    elif options.name:
        sys.stdout.write(_page(chosen[0]))
    else:
        sys.stdout.write(_table(chosen))
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


def _page(problem: Problem) -> str:
    lines = [
        f"{problem.name}, version {problem.version}: {problem.title}",
        f"  suite      {problem.suite}, {'ranked' if problem.ranked else 'not ranked'}",
        f"  workload   {problem.workload}",
        f"  formula    {problem.formula}",
        f"  work       {flops(problem):,} FLOPs; {2 * required_products(problem):,} FLOPs of matrix work needed",
        f"  bytes      {input_bytes(problem):,} in, {output_bytes(problem):,} out",
        f"  tolerance  |x - y| <= max({problem.tolerance.atol:g}, {problem.tolerance.rtol:g} * |y|), every element",
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
