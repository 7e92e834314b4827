"""From a bundle to a kernel that can be measured again, and from new reports to what differs."""

from dataclasses import dataclass, replace

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.bundle.bundle import Bundle
from evaluation.core.bundle.comparison import Comparison, Row, Side, compare
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.problem import Problem
from evaluation.core.errors import InvalidInput
from evaluation.core.findings import findings_of
from evaluation.core.judgement import Judgement
from evaluation.core.measure.hand_over import facts_document, prepared_of
from evaluation.core.measure.parts import Parts, parts_of
from evaluation.core.measure.prepared import Prepared
from evaluation.core.measure.seen import DeviceSeen, MeasureSeen
from evaluation.core.messages import JUDGE
from evaluation.core.records import Outcome, StageReport

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replay for programs: ``bundle_source_sha256`` says of which kernel, ``judgement`` what was found this time."""

    bundle_source_sha256: str
    agrees: bool
    rows: tuple[Row, ...]
    judgement: Judgement
    schema: int = SCHEMA


def prepare_half(bundle: Bundle) -> Outcome:
    """The stages of the bundle's run that need no GPU; a replay takes them as they are."""
    reports = bundle.judgement.reports
    return Outcome(tuple(one for one in reports if not one.stage.needs_gpu))


def parts_to_measure(bundle: Bundle) -> Parts:
    """What the bundle's run handed over to its GPU half. Raise InvalidInput where it never came so far."""
    try:
        return parts_of(prepare_half(bundle))
    except (InvalidInput, ValueError) as lacking:  # a fact that should be a number may be a word
        why = lacking.rule if isinstance(lacking, InvalidInput) else str(lacking)
        rule = f"there is nothing to measure again: {why}"
        raise InvalidInput(where=bundle.where, key="judgement.json", rule=rule) from lacking


def prepared_again(
    bundle: Bundle, parts: Parts, facts: CubinFacts, *, problem: Problem, device: Device
) -> Prepared:
    """What is measured again. Raise InvalidInput where the bundle holds no kernel that may be launched.

    ``facts`` were read anew from the bundle's own cubin: neither the plan nor the facts in a bundle are believed.
    """
    return prepared_of(
        problem,
        device,
        plan=bundle.content(parts.plan),
        cubin=bundle.content(parts.cubin),
        facts=facts_document(facts),
        family=parts.family,
    )


def judged_again(bundle: Bundle, measured: tuple[StageReport, ...], exit_code: int) -> Judgement:
    """The bundle's judgement with the GPU's stages, and all that hangs on them, as they are now."""
    outcome = Outcome((*prepare_half(bundle).reports, *measured))
    found = findings_of(outcome)
    return replace(
        bundle.judgement,
        reports=outcome.reports,
        missing=(),
        verdict=outcome.verdict,
        correct=found.correct,
        instruction=found.instruction,
        speed=found.speed,
        speed_reason=found.speed_reason,
        integrity=found.integrity,
        exit_code=exit_code,
        judge=JUDGE,
    )


def compared(
    bundle: Bundle, again: Judgement, device: DeviceSeen, measured: MeasureSeen | None
) -> Comparison:
    """Put the bundle's run beside the replay's."""
    seen = bundle.check_seen()
    before = Side(bundle.judgement, None if seen is None else seen.device, bundle.measure_seen())
    return compare(before, Side(again, device, measured))


def rebuilt(bundle: Bundle, cubin_sha256: str, toolchain: str) -> tuple[Row, ...]:
    """Rows for a cubin that was compiled from the bundle's source again; ``cubin_sha256`` is empty for none."""
    facts = {
        fact.name: str(fact.value) for report in bundle.judgement.reports for fact in report.facts
    }
    then = facts.get("cubin_sha256", "")
    return (
        Row("toolchain", facts.get("toolchain", "-"), toolchain),
        Row("cubin", then or "none", cubin_sha256 or "none", then == cubin_sha256),
    )
