"""Measuring a bundle's kernel again: what agrees, what differs, and what is refused before anything is launched."""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from cli_run import Ran
from fake_adapters import FakeClock, FakeInspector, MemoryArtifacts
from fake_measurer import MEASURED_WITH_COUNTERS, FakeMeasurer
from judged_bundle import bundle_of, judged, sample_bundle, with_artifact
from measured import CHECKED, call, output
from sample_run import CUBIN, KERNEL, LIBRARY, sample_tools
from watched_measurer import WatchedMeasurer

from evaluation.adapters.gpu_use import in_use
from evaluation.adapters.lab import Lab
from evaluation.adapters.measure_wiring import quarantine_of
from evaluation.adapters.quarantine import Holder, Quarantine
from evaluation.adapters.workspace import Workspace
from evaluation.cli.main import main
from evaluation.core import wire
from evaluation.core.bundle.bundle import unpack
from evaluation.core.bundle.replay import Replayed, parts_to_measure
from evaluation.core.compile.build import Built, Failed, FailureKind
from evaluation.core.compile.build_steps import HeaderSet
from evaluation.core.errors import InvalidInput, ToolFailure, ToolMissing
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.ledger import Loss
from evaluation.core.measure.seen import Element, PairSeen
from evaluation.core.pipeline import Tools
from evaluation.core.pipeline_measure import MeasureTools
from evaluation.core.verdict import Verdict

WRONG = output(outside=7, first=Element((0, 3), 1.5, 9.0), worst=Element((0, 3), 1.5, 9.0))


@dataclass
class Bench:
    """The replay command with a GPU that sees what it is told; ``opened`` are products and numbers of GPUs."""

    capsys: pytest.CaptureFixture[str]
    folder: Path
    opened: list[tuple[str, int]] = field(default_factory=list)
    inspector: FakeInspector = field(default_factory=lambda: FakeInspector(CUBIN, LIBRARY))
    artifacts: MemoryArtifacts = field(default_factory=MemoryArtifacts)

    @property
    def ledger(self) -> Quarantine:
        """The ledger of GPU 0 as another process would open it."""
        return quarantine_of(Workspace(self.folder / "home"), "h200", 0)

    def run(
        self,
        content: bytes,
        *words: str,
        measurer: FakeMeasurer | ToolFailure | None = None,
        tools: Tools | None = None,
    ) -> Ran:
        (self.folder / "k.zip").write_bytes(content)

        @contextlib.contextmanager
        def open_lab(workspace: Workspace, product: str, gpu: int) -> Iterator[Lab]:
            self.opened.append((product, gpu))
            if isinstance(measurer, ToolFailure):
                raise measurer
            gpu_tools = MeasureTools(self.artifacts, FakeClock(), None)
            ledger = self.ledger
            with in_use(ledger):
                yield Lab(measurer or FakeMeasurer(), self.inspector, gpu_tools, ledger)

        def open_tools(workspace: Workspace, *, cached: bool) -> Tools:
            assert not cached
            assert tools is not None
            return tools

        code = main(("replay", "k.zip", *words), open_tools=open_tools, open_lab=open_lab)
        return Ran(code, *self.capsys.readouterr())


@pytest.fixture
def bench(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Bench:
    monkeypatch.chdir(tmp_path)
    return Bench(capsys, tmp_path)


def rows(out: str) -> dict[str, list[str]]:
    """The rows of the comparison: mark and columns by name."""
    table = out.partition("  now\n")[2].partition("\n\n")[0]
    return {line[:21].strip(): line[21:].split("  ") for line in table.splitlines()}


def slower(pair: PairSeen) -> PairSeen:
    candidate = replace(
        pair.candidate,
        event_ns=2 * pair.candidate.event_ns,
        outside_ns=2 * pair.candidate.outside_ns,
    )
    return replace(pair, candidate=candidate)


def test_the_same_kernel_on_the_same_gpu_agrees(bench: Bench) -> None:
    measurer = FakeMeasurer()
    ran = bench.run(sample_bundle(), measurer=measurer)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("k.zip  gemm_n7168_k5120 on hopper (h200), by judge 1\n")
    assert ran.out.endswith("\n  the findings agree\n")
    assert measurer.said == ["open", "check", "measure", "close"]
    assert bench.opened == [("h200", 0)]
    found = rows(ran.out)
    assert [name for name, cells in found.items() if cells[0].strip() == "same"] == [
        "verdict",
        "correct",
        "family executed",
        "matrix path",
        "speed",
    ]
    assert "differs" not in ran.out


def test_facts_are_read_anew_from_the_bundle_s_own_cubin(bench: Bench) -> None:
    measurer = FakeMeasurer()
    bench.run(sample_bundle(), measurer=measurer)

    assert bench.inspector.asked == [b"the cubin"]
    (kernel,) = measurer.kernels
    assert (kernel.cubin, kernel.facts) == (b"the cubin", CUBIN)


def test_a_kernel_that_is_wrong_now_differs_and_says_what_was_wrong(bench: Bench) -> None:
    measurer = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),)))
    ran = bench.run(sample_bundle(), measurer=measurer)

    assert ran.code == 4
    assert ran.out.endswith("\n  the findings differ\n")
    found = rows(ran.out)
    assert found["verdict"][0] == "differs"
    assert found["verdict"][-1].strip() == "wrong_result"
    assert found["speed"][0] == "differs"
    assert "\n  check   no " in ran.out


def test_a_wrong_kernel_that_is_wrong_again_agrees(bench: Bench) -> None:
    wrong = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),)))
    ran = bench.run(sample_bundle(wrong), measurer=wrong)

    assert ran.code == 0
    assert rows(ran.out)["verdict"][0] == "same"


def test_half_the_speed_differs(bench: Bench) -> None:
    pairs = tuple(slower(one) for one in MEASURED_WITH_COUNTERS.pairs)
    slopes = tuple(
        replace(one, short_ns=2 * one.short_ns, long_ns=2 * one.long_ns)
        for one in MEASURED_WITH_COUNTERS.slopes
    )
    measured = replace(MEASURED_WITH_COUNTERS, pairs=pairs, slopes=slopes)
    ran = bench.run(sample_bundle(), measurer=FakeMeasurer(measured=(measured,)))

    assert ran.code == 4
    found = rows(ran.out)
    assert found["verdict"][0] == "same"
    assert found["speed"][0] == "differs"
    assert found["kernel"][-1].strip() == "2,000,000 ns"


def test_json_is_one_document_with_the_new_judgement(bench: Bench) -> None:
    ran = bench.run(sample_bundle(), "--json", "--gpu", "3")

    assert ran.code == 0
    assert ran.out.count("\n") == 1
    said = wire.decode(Replayed, ran.out.encode(), where="stdout")
    before, _ = judged()
    assert said.agrees
    assert said.bundle_source_sha256 == before.source_sha256
    assert said.judgement.verdict is Verdict.ACCEPTED
    assert [one.stage for one in said.judgement.reports] == [one.stage for one in before.reports]
    assert bench.opened == [("h200", 3)]
    assert ran.err == ""


def test_without_such_a_gpu_it_is_unavailable(bench: Bench) -> None:
    missing = ToolMissing("there is no GPU", action="use a machine with one")
    ran = bench.run(sample_bundle(), measurer=missing)

    assert ran.code == 69
    assert ran.err == "ptxboard: there is no GPU\n          use a machine with one\n"


def test_our_own_failure_says_nothing_about_the_kernel(bench: Bench) -> None:
    ran = bench.run(sample_bundle(), measurer=FakeMeasurer(checked=ToolFailure("the GPU fell off")))

    assert ran.code == 70
    assert "agree" not in ran.out
    assert "differ" not in ran.out


def test_what_never_came_to_a_plan_cannot_be_measured_and_no_gpu_is_opened(bench: Bench) -> None:
    failed = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "error", 2.0)
    ran = bench.run(sample_bundle(tools=sample_tools(program=failed)))

    assert ran.code == 65
    assert "there is nothing to measure again" in ran.err
    assert bench.opened == []


def test_a_plan_that_does_not_fit_its_cubin_is_never_launched(bench: Bench) -> None:
    """The facts in the bundle say that it fits; the ones that are read anew decide."""
    other = replace(CUBIN, functions=(replace(KERNEL, name="another"),))
    bench.inspector = FakeInspector(other, LIBRARY)
    measurer = FakeMeasurer()
    ran = bench.run(sample_bundle(), measurer=measurer)

    assert ran.code == 65
    assert "plan" in ran.err
    assert measurer.said == []


def test_a_cubin_that_cannot_be_read_is_never_launched(bench: Bench) -> None:
    broken = InvalidInput(where="cubin", key="sections", rule="more than 4096 sections")
    bench.inspector = FakeInspector(broken, LIBRARY)
    measurer = FakeMeasurer()

    assert bench.run(sample_bundle(), measurer=measurer).code == 65
    assert measurer.said == []


@pytest.mark.parametrize(
    ("name", "content"), [("cubin", b"another"), ("plan", b"{}"), ("measure_seen", b"{}")]
)
def test_an_exchanged_part_is_refused_before_a_gpu_is_opened(
    bench: Bench, name: str, content: bytes
) -> None:
    assert bench.run(with_artifact(name, content)).code == 65
    assert bench.opened == []


@pytest.mark.parametrize(
    "changes", [{"problem": "gemm_n128_k2048"}, {"problem": "none"}, {"device": "h100-sxm"}]
)
def test_another_problem_or_device_than_the_plan_s_is_refused(
    bench: Bench, changes: dict[str, str]
) -> None:
    judgement, artifacts = judged()
    changed = replace(judgement, **changes)  # type: ignore[arg-type]

    assert bench.run(bundle_of(changed, artifacts)).code == 65
    assert bench.opened == []


def test_a_rebuilt_cubin_is_compared_with_the_bundle_s(bench: Bench) -> None:
    ran = bench.run(sample_bundle(), "--rebuild", tools=sample_tools())

    assert ran.code == 0
    found = rows(ran.out)
    assert found["cubin"][0].strip() == "same"
    assert " ".join(found["toolchain"]).split() == ["fake", "fake"]


def test_another_cubin_from_the_same_source_differs(bench: Bench) -> None:
    other = Built(b"another", b"", b"", HeaderSet.SLIM, "", 1.0)
    ran = bench.run(sample_bundle(), "--rebuild", "--json", tools=sample_tools(program=other))

    assert ran.code == 4
    last = json.loads(ran.out)["rows"][-1]
    assert (last["what"], last["agrees"]) == ("cubin", False)


def test_a_source_that_no_longer_compiles_differs(bench: Bench) -> None:
    failed = Failed(FailureKind.ERROR, "device_compile", HeaderSet.REAL, "error", 2.0)
    ran = bench.run(sample_bundle(), "--rebuild", tools=sample_tools(program=failed))

    assert ran.code == 4
    assert rows(ran.out)["cubin"][-1].strip() == "none"


def test_a_gpu_that_somebody_has_is_not_disturbed(bench: Bench) -> None:
    holder = bench.ledger
    holder.claim(Holder.COMMAND)
    measurer = FakeMeasurer()
    ran = bench.run(sample_bundle(), "--json", measurer=measurer)

    assert (ran.code, ran.out, measurer.said) == (69, "", [])
    assert ran.err == (
        f"ptxboard: another command of this host has the GPU h200-0 (process {os.getpid()})\n"
        "          wait until it is done, or stop it; judge --gpu no does without a GPU\n"
    )


def test_a_gpu_in_quarantine_measures_nothing_until_a_person_lifts_it(bench: Bench) -> None:
    bench.ledger.set_sick("Xid 79")
    measurer = FakeMeasurer()
    ran = bench.run(sample_bundle(), "--json", measurer=measurer)

    assert (ran.code, ran.out, measurer.said) == (69, "", [])
    assert ran.err.startswith("ptxboard: the GPU h200-0 is in quarantine: Xid 79\n")
    assert ran.err.endswith("then run ptxboard doctor --lift-quarantine\n")
    bench.ledger.lift()
    assert bench.run(sample_bundle(), measurer=measurer).code == 0


def test_a_bundle_s_kernel_is_noted_before_it_runs_and_a_gpu_that_it_made_sick_stays_out(
    bench: Bench,
) -> None:
    plan = parts_to_measure(unpack(sample_bundle(), where="k.zip")).plan.sha256
    sick = GpuSick("Xid 79 during the kernel")
    measurer = WatchedMeasurer(ledger=bench.ledger, at_close=sick)

    assert bench.run(sample_bundle(), measurer=measurer).code == 70
    assert [one.running.kernel for one in measurer.noted if one.running] == [plan]
    assert len(measurer.taken) == 1
    after = bench.ledger.read()
    assert after.losses == (Loss(plan, "Xid 79 during the kernel", by_time=False),)
    assert (after.running, after.sick) == (None, "Xid 79 during the kernel")
