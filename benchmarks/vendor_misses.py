"""How many elements of the vendor library's own results miss the tolerance against the oracle, draw after draw.

    PYTHONPATH=. python3 benchmarks/vendor_misses.py [-n DRAWS] [PROBLEM ...]

Needs a machine with a GPU and PyTorch. Inputs are normal, as a checked call's; a backward gets O and L of the vendor's
forward. An output's elements over its problem's ``borderline_one_in`` have to be well above the most that this prints.
"""

import argparse
import statistics
import sys
from collections.abc import Iterator, Sequence

import torch

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.referee import oracle
from evaluation.adapters.referee.vendor import Tensors, forward_of, vendor_of
from evaluation.core.catalogue.problem import Kind, Problem

SEED = 20_261_130


def drawn(problem: Problem, made: torch.Generator, device: torch.device) -> Tensors:
    """Give the problem's inputs in the order of the ABI."""

    def normal(name: str) -> torch.Tensor:
        (shape,) = (one.shape for one in problem.inputs if one.name == name)
        assert shape is not None
        sizes = problem.sizes(shape)
        return torch.randn(sizes, device=device, generator=made).to(torch.bfloat16)

    if problem.kind is not Kind.ATTENTION_BACKWARD:
        return tuple(normal(one.name) for one in problem.inputs)
    query, key, value, gradient = (normal(name) for name in ("Q", "K", "V", "dO"))
    out, lse = forward_of(problem)((query, key, value))
    return query, key, value, out, gradient, lse


def misses(problem: Problem, draws: int) -> Iterator[tuple[tuple[int, float], ...]]:
    """For each draw and output: how many elements are outside, and the largest error over what is allowed."""
    device = torch.device("cuda")
    made = torch.Generator(device=device).manual_seed(SEED)
    vendor, exact = vendor_of(problem), oracle.empty_outputs(problem, device)
    tolerance = problem.tolerance
    for _ in range(draws):
        inputs = drawn(problem, made, device)
        outputs = vendor(inputs)
        oracle.compute(problem, inputs, exact)
        found = []
        for mine, true in zip(outputs, exact, strict=True):
            limit = (true.abs() * tolerance.rtol).clamp_(min=tolerance.atol)
            over = (mine.float() - true).abs_().div_(limit)
            found.append((int((over > 1).sum()), float(over.max())))
        yield tuple(found)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-n", dest="draws", type=int, default=20)
    there = packaged()
    paper = [one.name for one in there.problems() if one.ranked]
    parser.add_argument("problems", nargs="*", default=paper, metavar="PROBLEM")
    options = parser.parse_args(arguments)
    if options.draws < 1:
        parser.error("at least one draw is needed")
    oracle.exact_arithmetic()
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, {options.draws} draws")
    for name in options.problems:
        problem = there.problem(name)
        every = list(misses(problem, options.draws))
        for place, output in enumerate(problem.outputs):
            counts = [draw[place][0] for draw in every]
            farthest = max(draw[place][1] for draw in every)
            print(
                f"{name:26} {output.name:4} outside a draw: mean {statistics.mean(counts):.2f}, most {max(counts)}; "
                f"largest error {farthest:.2f} of what is allowed"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
