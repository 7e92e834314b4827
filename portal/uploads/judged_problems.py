"""The problems that are judged here, as uploads have to name them."""

from collections.abc import Mapping
from functools import cache

from evaluation.adapters.catalogue import packaged
from evaluation.core.catalogue.problem import Problem


@cache
def judged_problems() -> Mapping[str, Problem]:
    """Problems by name; they come with the package and change with it."""
    return {problem.name: problem for problem in packaged().problems()}


def workloads() -> dict[str, str]:
    return {name: problem.workload for name, problem in judged_problems().items()}
