"""What a user asks for: options to a job, and to words of ours with the ones that there are where it is none."""

import argparse
import difflib

from evaluation.adapters.catalogue import packaged
from evaluation.cli.files import read
from evaluation.core.catalogue.device import Device, default_product
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import InvalidInput
from evaluation.core.pipeline import Job
from evaluation.core.verdict import Language, Target

# Sixteen times what the policy takes: it refuses the rest with its rule, and a file without end is not read to it.
SOURCE_READ_BYTES = 4 * 1024 * 1024


def job_of(options: argparse.Namespace, *, here: Device | None = None) -> Job:
    """Raise InvalidInput for names that do not go together and Unreadable for a file that cannot be read.

    ``here`` is the product of this machine's GPU, for which a plan is made where no other is named.
    """
    target = Target(options.target)
    problem = problem_of(options.problem, where="--problem")
    if target not in problem.targets:
        known = ", ".join(problem.targets)
        raise InvalidInput(
            where="--target", key=target, rule=f"{problem.name} is judged on {known} only"
        )
    product = default_product(target) if here is None else here.product
    device = _device(options.device or product)
    if device.target is not target:
        rule = f"is a {device.target} product, not a {target} one"
        raise InvalidInput(where="--device", key=device.product, rule=rule)
    source = read(options.file, limit_bytes=SOURCE_READ_BYTES)
    return Job(source, Language.CUDA, problem, target, device)


def problem_of(name: str, *, where: str) -> Problem:
    """The problem of this name. Raise InvalidInput that lists the names there are."""
    found = {one.name: one for one in packaged().problems()}
    return found[_known(name, tuple(found), where=where, what="problem")]


def _device(product: str) -> Device:
    found = {one.product: one for one in packaged().devices()}
    return found[_known(product, tuple(found), where="--device", what="device table")]


def _known(name: str, names: tuple[str, ...], *, where: str, what: str) -> str:
    if name in names:
        return name
    near = difflib.get_close_matches(name[:80], names, n=1)
    hint = f"; did you mean {near[0]}? There" if near else "; there"
    rule = f"there is no such {what}{hint} are: {', '.join(names)}"
    raise InvalidInput(where=where, key=name[:80], rule=rule)
