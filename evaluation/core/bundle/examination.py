"""The documents inside a bundle, read as what their names say: a bundle may come from anyone."""

import hashlib
from collections.abc import Callable
from typing import TypeVar

from evaluation.core import wire
from evaluation.core.binary.facts_json import cubin_facts
from evaluation.core.bundle.bundle import Bundle
from evaluation.core.compile.description import Description
from evaluation.core.errors import InvalidInput
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json

Document = TypeVar("Document")


def examine(bundle: Bundle) -> None:
    """Raise InvalidInput where a document of the bundle is none, or its plan is another cubin's."""
    bundle.check_seen()
    bundle.measure_seen()
    described, facts = bundle.artifact("build"), bundle.artifact("facts")
    if described is not None:
        wire.decode(Description, described, where=f"{bundle.where}: build.json")
    if facts is not None:
        _read(cubin_facts, facts, f"{bundle.where}: facts.json")
    plan = bundle.artifact("plan")
    if plan is not None:
        where = f"{bundle.where}: plan.json"
        _belongs(_read(plan_from_json, plan, where), bundle, where)


def _read(reader: Callable[[bytes], Document], content: bytes, where: str) -> Document:
    """Let a reader that calls every document by one name say which one it was."""
    try:
        return reader(content)
    except InvalidInput as wrong:
        raise InvalidInput(where=where, key=wrong.key, rule=wrong.rule) from wrong


def _belongs(plan: Plan, bundle: Bundle, where: str) -> None:
    judged = bundle.judgement
    stated = (plan.problem, plan.problem_version, plan.target, plan.device)
    if stated != (judged.problem, judged.problem_version, judged.target, judged.device):
        rule = "is for another problem, target or device than the judgement"
        raise InvalidInput(where=where, key="", rule=rule)
    cubin = bundle.artifact("cubin")
    if cubin is None or hashlib.sha256(cubin).hexdigest() != plan.cubin_sha256:
        rule = "is not the hash of the bundle's kernel.cubin"
        raise InvalidInput(where=where, key="cubin_sha256", rule=rule)
