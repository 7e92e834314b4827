"""How a problem's kernel is called: the arguments of ``run`` with their lengths and where inputs come from."""

from dataclasses import dataclass

from evaluation.core.catalogue.problem import Argument, Distribution, Problem, argument_list

_DISTRIBUTIONS = {
    Distribution.NORMAL: "independent normal values, mean 0, standard deviation 1",
    Distribution.VENDOR_FORWARD_OUTPUT: "the output of the vendor’s forward on the same inputs",
    Distribution.VENDOR_FORWARD_LSE: "the log-sum-exp of the vendor’s forward, natural logarithm",
    Distribution.FIXED: "one stated value",
}


@dataclass(frozen=True, slots=True)
class ArgumentLine:
    """One argument of ``run``; ``axes`` names its lengths, ``values`` says where an input comes from."""

    argument: Argument
    axes: tuple[str, ...]
    values: str


def argument_lines(problem: Problem) -> tuple[ArgumentLine, ...]:
    """In the order of the call."""
    axes = {one.name: one.shape for one in problem.inputs}
    axes |= {one.name: one.shape for one in problem.outputs}
    values = {one.name: _DISTRIBUTIONS[one.distribution] for one in problem.inputs}
    return tuple(
        ArgumentLine(one, axes[one.name] or (), values.get(one.name, "written"))
        for one in argument_list(problem)
    )
