"""The problems that are judged here, as uploads have to name them."""

from collections.abc import Mapping

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.problem import Problem

Problems = Mapping[str, Problem]


def judged_problems() -> Problems:
    """Read the problems of the package, by name: for once a submission, not for each of its trajectories."""
    return {problem.name: problem for problem in packaged().problems()}


def workloads(problems: Problems) -> dict[str, str]:
    return {name: problem.workload for name, problem in problems.items()}
