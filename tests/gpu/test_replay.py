"""A bundle of a kernel that this GPU has judged, measured again by the command replay on the same GPU."""

import contextlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from bundled import judged as judgement_with
from fake_adapters import MemoryArtifacts

from evaluation.adapters.gpu.referee_client import RefereeClient
from evaluation.adapters.lab import Lab
from evaluation.adapters.measure_wiring import quarantine_of
from evaluation.adapters.workspace import Workspace
from evaluation.cli import exit_codes
from evaluation.cli.main import main
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.binary.facts_json import cubin_facts
from evaluation.core.bundle.bundle import pack as pack_bundle
from evaluation.core.bundle.bundle import unpack
from evaluation.core.bundle.replay import judged_again
from evaluation.core.measure.parts import BULK_FACT
from evaluation.core.pipeline_measure import MeasureTools, measure
from evaluation.core.records import Fact, Outcome, StageReport
from evaluation.core.scan.scan_report import FAMILY_FACT
from evaluation.core.verdict import Stage, Verdict

from .packed import Pack, source_of
from .test_referee import referee, say  # noqa: F401 - the fixture is used by its name

pytestmark = [pytest.mark.gpu, pytest.mark.timeout(300)]

CASE = "gemm_wgmma_tma"


class PackInspector:
    """The facts that the pack's jailed reader found, for a machine that may have no jail."""

    def __init__(self, pack: Pack) -> None:
        self._facts = cubin_facts((pack.root / CASE / "facts.json").read_bytes())

    def cubin(self, content: bytes) -> CubinFacts:
        assert content
        return self._facts

    def library(self, content: bytes) -> LibraryFacts:
        raise AssertionError("a replay reads no library")


def scanned(pack: Pack, artifacts: MemoryArtifacts) -> StageReport:
    """One report that stands for the prepare half: what it handed over."""
    stated = pack.description(CASE)
    folder = pack.root / CASE
    names = (("plan", "plan.json"), ("cubin", "cubin"), ("facts", "facts.json"))
    return StageReport(
        Stage.SCAN,
        "from the pack",
        facts=(Fact(FAMILY_FACT, stated.family), Fact(BULK_FACT, stated.bulk_rows)),
        artifacts=tuple(artifacts.put(name, (folder / file).read_bytes()) for name, file in names),
    )


def bundle_of(referee: RefereeClient, pack: Pack) -> bytes:  # noqa: F811 - the fixture's value
    artifacts = MemoryArtifacts()
    prepared = pack.prepared(CASE)
    tools = MeasureTools(artifacts, time.monotonic, None)
    source = source_of(CASE).read_bytes()
    half = judgement_with(
        reports=(scanned(pack, artifacts),),
        source_sha256=pack.description(CASE).source_sha256,
        problem=prepared.problem.name,
        problem_version=prepared.problem.version,
        device=prepared.plan.device,
    )
    reports = tuple(measure(prepared, referee, tools, lambda _: None))
    code = exit_codes.of_verdict(Outcome(reports).verdict)

    def content(sha256: str) -> bytes:
        return artifacts.stored[sha256]

    first = unpack(pack_bundle(half, source, lambda ref: content(ref.sha256)), where="half")
    whole = judged_again(first, reports, code)
    return pack_bundle(whole, source, lambda ref: content(ref.sha256))


def test_a_kernel_agrees_with_itself_and_a_bundle_that_claims_more_differs(
    referee: RefereeClient,  # noqa: F811 - the fixture's value
    pack: Pack,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    @contextlib.contextmanager
    def open_lab(workspace: Workspace, product: str, gpu: int) -> Iterator[Lab]:
        assert (product, gpu) == ("h200", 0)
        tools = MeasureTools(MemoryArtifacts(), time.monotonic, None)
        ledger = quarantine_of(Workspace(tmp_path / "home"), product, gpu)
        yield Lab(referee, PackInspector(pack), tools, ledger)

    honest = bundle_of(referee, pack)
    file = tmp_path / "k.zip"
    file.write_bytes(honest)

    code = main(("replay", str(file), "--json"), open_lab=open_lab)
    said = json.loads(capsys.readouterr().out)
    say(replay=CASE, rows=[[row["what"], row["before"], row["after"]] for row in said["rows"]])
    assert code == exit_codes.OK, said["rows"]
    assert said["judgement"]["verdict"] == Verdict.ACCEPTED

    bundle = unpack(honest, where="honest")
    speed = bundle.judgement.speed
    assert speed is not None
    boast = judgement_with(
        **{
            name: getattr(bundle.judgement, name)
            for name in ("reports", "source_sha256", "problem", "problem_version", "device")
        },
        instruction=bundle.judgement.instruction,
        speed=type(speed)(2 * speed.ratio, 2 * speed.low, 2 * speed.high, 1, 2),
    )
    file.write_bytes(pack_bundle(boast, bundle.source, bundle.content))
    code = main(("replay", str(file), "--json"), open_lab=open_lab)
    rows = {row["what"]: row["agrees"] for row in json.loads(capsys.readouterr().out)["rows"]}
    assert code == exit_codes.DIFFERS
    assert (rows["verdict"], rows["speed"]) == (True, False)
