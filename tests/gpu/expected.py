"""What a case states under ``[expect.gpu]`` against the reports of a run (golden/README.md has the keys)."""

from collections.abc import Sequence

from evaluation.core.records import StageReport
from evaluation.core.verdict import Severity

Wanted = dict[str, object]


def differences(wanted: Wanted, reports: Sequence[StageReport]) -> list[str]:
    """What a case states and the reports do not say."""
    last = reports[-1]
    verdicts = [wanted["verdict"]] if isinstance(wanted["verdict"], str) else wanted["verdict"]
    assert isinstance(verdicts, list)
    # Where chance decides between verdicts, a refused kernel has no instruction finding to compare.
    findings = wanted if len(verdicts) == 1 or last.verdict == "accepted" else {}
    facts = {fact.name: str(fact.value) for report in reports for fact in report.facts}
    signals = [signal for report in reports for signal in report.signals]
    kinds = {one.kind for one in signals}
    holds = sorted({one.kind for one in signals if one.severity is Severity.HOLD})
    stages, expected = _words(wanted, "stages"), _words(wanted, "signals")
    found = []
    if last.verdict not in verdicts or last.stage not in stages:
        found.append(f"{last.verdict} in {last.stage}: {last.headline}")
    if "family" in findings and facts.get("family") != findings["family"]:
        found.append(f"family {facts.get('family')}: {facts.get('family_reason')}")
    for key, name in (("coverage", "coverage"), ("executed", "executed_share")):
        if key in findings and not _inside(findings[key], facts.get(name)):
            found.append(f"{name} {facts.get(name)}, not within {findings[key]}")
    if not set(expected) <= kinds:
        found.append(f"signals {sorted(kinds)} lack {expected}")
    rules = {remark.rule for report in reports for remark in report.remarks}
    if not set(_words(wanted, "remarks")) <= rules:
        found.append(f"remarks of {sorted(rules)} lack {wanted['remarks']}")
    if "holds" in wanted and holds != wanted["holds"]:
        evidence = [f"{one.kind}: {one.sentence} {one.evidence}" for one in signals]
        found.append(f"holds {holds}, not {wanted['holds']}: {evidence}")
    return found


def _words(wanted: Wanted, key: str) -> list[str]:
    found = wanted.get(key, [])
    assert isinstance(found, list)
    return found


def _inside(band: object, value: str | None) -> bool:
    assert isinstance(band, list)
    low, high = band
    return value is not None and low <= float(value) <= high
