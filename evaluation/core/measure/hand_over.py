"""Bytes to a Prepared: what was handed over is read again, and refused before a launch where it does not fit."""

import hashlib

from evaluation.core import wire
from evaluation.core.binary.facts import CubinFacts
from evaluation.core.binary.facts_json import CubinAnswer, cubin_facts
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem, argument_list
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.measure.parts import Parts
from evaluation.core.measure.prepared import Prepared
from evaluation.core.plan.plan import Plan
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.plan.plan_limits import device_limits
from evaluation.core.plan.plan_rules import validate_plan
from evaluation.core.ports import Artifacts
from evaluation.core.record.record_subject import plan_arguments
from evaluation.core.verdict import FamilyExecuted

_WHERE = "hand-over"


def facts_document(facts: CubinFacts) -> bytes:
    """The artifact ``facts``; ``facts_json.cubin_facts`` reads it."""
    return wire.encode(CubinAnswer(facts, None))


def prepared_from(problem: Problem, device: Device, parts: Parts, artifacts: Artifacts) -> Prepared:
    """Fetch what was handed over and rebuild it. Raise ToolFailure: what does not fit here is our own doing."""
    plan, cubin, facts = (
        artifacts.get(one.sha256, limit_bytes=one.size)
        for one in (parts.plan, parts.cubin, parts.facts)
    )
    try:
        return prepared_of(
            problem, device, plan=plan, cubin=cubin, facts=facts, family=parts.family
        )
    except InvalidInput as misfit:
        raise ToolFailure(
            f"what was handed over does not fit: {misfit}",
            action="let portal and workers run the same release and prepare the kernel again",
        ) from misfit


def prepared_of(
    problem: Problem,
    device: Device,
    *,
    plan: bytes,
    cubin: bytes,
    facts: bytes,
    family: FamilyExecuted,
) -> Prepared:
    """Rebuild what the prepare half made for this problem and product, or raise InvalidInput with what does not fit.

    The plan is the author's document (rule T4), so every rule of a plan is checked again, against ``facts``.
    """
    read = plan_from_json(plan)
    _belongs(read, problem, device, cubin)
    known = cubin_facts(facts)
    review = validate_plan(
        read, known, plan_arguments(argument_list(problem)), device_limits(device)
    )
    if review.remarks:
        first = review.remarks[0]
        raise InvalidInput(where=_WHERE, key="plan", rule=f"{first.rule}: {first.message}")
    return Prepared(problem, read, cubin, known, family)


def _belongs(plan: Plan, problem: Problem, device: Device, cubin: bytes) -> None:
    asked = (problem.name, problem.version, device.target, device.product)
    made_for = (plan.problem, plan.problem_version, plan.target, plan.device)
    if made_for != asked:
        words = (
            f"{name} version {version} on {target}, {product}"
            for name, version, target, product in (made_for, asked)
        )
        rule = "is for {}, not for {}".format(*words)
        raise InvalidInput(where=_WHERE, key="plan", rule=rule)
    sha256 = hashlib.sha256(cubin).hexdigest()
    if sha256 != plan.cubin_sha256:
        rule = f"has the hash {sha256}, and the plan is for {plan.cubin_sha256}"
        raise InvalidInput(where=_WHERE, key="cubin", rule=rule)
