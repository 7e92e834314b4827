"""ptxboard judge where the machine has a GPU: three findings, the exit code of the verdict, and which GPU is taken."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from cli_run import ASKED, Ran
from fake_adapters import FakeClock, FakeInspector, MemoryArtifacts
from fake_examiner import FakeExaminer
from fake_measurer import MEASURED_WITH_COUNTERS, FakeMeasurer
from measured import CHECKED, MEASURED, call, output
from sample_run import CUBIN, LIBRARY, SOURCE, sample_tools

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu.driver_facts import DeviceFacts
from evaluation.adapters.gpu_use import in_use
from evaluation.adapters.lab import Lab
from evaluation.adapters.measure_wiring import Gpu, quarantine_of
from evaluation.adapters.quarantine import Quarantine
from evaluation.adapters.workspace import Workspace
from evaluation.cli.main import main
from evaluation.core import wire
from evaluation.core.bundle.bundle import unpack
from evaluation.core.errors import ToolFailure, ToolMissing
from evaluation.core.measure.examination import ExaminationKind
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.seen import Element, MeasureSeen
from evaluation.core.pipeline import Tools
from evaluation.core.pipeline_measure import MeasureTools
from evaluation.core.probe.sanitizer_report import SanitizerReport
from evaluation.core.verdict import Correct, FamilyExecuted, Integrity, MatrixPath, Stage, Verdict

WRONG = output(
    outside=7,
    first=Element((0, 3), 1.5, 9.0),
    worst=Element((0, 3), 1.5, 9.0),
    cells=(1, 2, (7, 0)),
)


def gpu_called(name: str, capability: tuple[int, int] = (9, 0)) -> Gpu:
    facts = DeviceFacts(
        name=name,
        uuid="GPU-1",
        compute_capability=capability,
        multiprocessors=132,
        l2_bytes=62914560,
        memory_bytes=150 << 30,
        shared_optin_bytes=232448,
        pageable_access=False,
        host_page_tables=False,
        driver_version=13000,
    )
    known = (one for one in packaged().devices() if one.device_name == name)
    return Gpu(0, facts, next(known, None))


@dataclass
class Machine:
    """A host with this GPU, which sees what the measurer is told. ``opened`` are products and numbers of GPUs."""

    capsys: pytest.CaptureFixture[str]
    folder: Path
    gpu: Gpu = field(default_factory=lambda: gpu_called("NVIDIA H200"))
    measurer: FakeMeasurer = field(default_factory=FakeMeasurer)
    artifacts: MemoryArtifacts = field(default_factory=MemoryArtifacts)
    examiner: FakeExaminer = field(default_factory=lambda: FakeExaminer({}))
    opened: list[tuple[str, int]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    before_lab: Callable[[], None] = lambda: (
        None
    )  # what happens on the host while the kernel is compiled

    @property
    def ledger(self) -> Quarantine:
        """The ledger of GPU 0 as another process would open it."""
        product = "h200" if self.gpu.device is None else self.gpu.device.product
        return quarantine_of(Workspace(self.folder / "home"), product, 0)

    def judge(self, *words: str) -> Ran:
        (self.folder / "kernel.cu").write_bytes(SOURCE)
        code = main(
            ("judge", "kernel.cu", *ASKED, *words),
            open_tools=self._tools,
            open_lab=self._lab,
            find_gpu=self._find,
        )
        return Ran(code, *self.capsys.readouterr())

    def _find(self, number: int) -> Gpu:
        self.asked.append(number)
        return self.gpu

    def _tools(self, workspace: Workspace, *, cached: bool) -> Tools:
        return replace(sample_tools(), artifacts=self.artifacts)

    @contextlib.contextmanager
    def _lab(self, workspace: Workspace, product: str, gpu: int) -> Iterator[Lab]:
        self.opened.append((product, gpu))
        tools = MeasureTools(self.artifacts, FakeClock(), None, self.examiner)
        self.before_lab()
        ledger = self.ledger
        with in_use(ledger):
            yield Lab(self.measurer, FakeInspector(CUBIN, LIBRARY), tools, ledger)


@pytest.fixture
def machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Machine:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PTXBOARD_HOME", str(tmp_path / "home"))
    return Machine(capsys, tmp_path)


def test_an_accepted_kernel_is_shown_from_top_to_bottom(machine: Machine) -> None:
    ran = machine.judge()
    assert ran.code == 0
    assert ran.out.startswith("kernel.cu  for gemm_n7168_k5120 on hopper (device table h200)\n")
    assert "\n  check   ok    1.0 s  all outputs of 3 calls are within tolerance\n" in ran.out
    assert "\n  probe   ok    0.0 s  executed 1.0000 of the required products, coverage " in ran.out
    assert "\n  time    ok    1.0 s  correct; 0.7800 of the vendor's speed (" in ran.out
    assert ran.out.endswith("""
  correct      yes
  instruction  family executed, on the matrix path, coverage 1.000, executed share 1.000
  speed        0.7800 of the vendor's (0.7753 to 0.7847), 1 ms against 0.78 ms

  verdict      accepted
""")


def test_json_holds_the_same_findings(machine: Machine) -> None:
    ran = machine.judge("--json")
    assert (ran.code, ran.err) == (0, "")
    judgement = ran.judgement
    assert [one.stage for one in judgement.reports] == list(Stage)
    assert judgement.missing == ()
    assert (judgement.verdict, judgement.correct) == (Verdict.ACCEPTED, Correct.YES)
    assert judgement.instruction.family is FamilyExecuted.YES
    assert judgement.instruction.matrix_path is MatrixPath.YES
    assert judgement.speed is not None
    assert judgement.speed.ratio == 0.78
    assert judgement.integrity is Integrity.CLEAR


def test_a_wrong_kernel_ends_with_its_verdict_s_code_and_its_first_wrong_element(
    machine: Machine,
) -> None:
    machine.measurer = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),)))
    ran = machine.judge("--out", "out")
    assert ran.code == 10
    assert "  check   no    1.0 s  " in ran.out
    assert "  probe " not in ran.out
    assert ran.out.endswith("""
  correct      no
  instruction  unknown: present, but only a run on a GPU can show that it executes
  speed        none: only a correct kernel has a speed

  verdict      wrong_result
  written      out
""")
    kept = {one.name for one in (machine.folder / "out").iterdir()}
    assert {"check.json", "error_map.C.png", "report.json"} <= kept


def test_what_was_seen_of_a_timed_kernel_is_kept(machine: Machine) -> None:
    machine.judge("--out", "out")
    content = (machine.folder / "out/measure.json").read_bytes()
    assert wire.decode(MeasureSeen, content, where="file") == MEASURED_WITH_COUNTERS


def test_a_held_kernel_says_so_beside_its_findings(machine: Machine) -> None:
    slowed = replace(
        MEASURED_WITH_COUNTERS, vendor_before_ns=(700_000,) * 10, vendor_after_ns=(700_000,) * 10
    )
    machine.measurer = FakeMeasurer(measured=(slowed,))
    ran = machine.judge()
    assert ran.code == 0
    assert (
        "\n  integrity    held: a person looks at the signals before this kernel ranks\n" in ran.out
    )


def test_a_kernel_whose_counters_could_not_be_read_is_accepted_with_one_finding_unknown(
    machine: Machine,
) -> None:
    dark = replace(MEASURED, probe=replace(MEASURED.probe, readings=(), unavailable="refused"))
    machine.measurer = FakeMeasurer(measured=(dark,))
    ran = machine.judge()
    assert ran.code == 0
    assert "\n  instruction  family unknown, matrix path unknown\n" in ran.out


def test_a_bundle_is_written_whatever_the_verdict(machine: Machine) -> None:
    machine.measurer = FakeMeasurer(checked=replace(CHECKED, calls=(call(0, WRONG),)))
    assert machine.judge("--bundle", "k.zip").code == 10
    bundle = unpack((machine.folder / "k.zip").read_bytes(), where="k.zip")
    assert bundle.judgement.verdict is Verdict.WRONG_RESULT
    assert bundle.source == SOURCE


@pytest.mark.parametrize(
    ("words", "number"), [((), 0), (("--gpu", "auto"), 0), (("--gpu", "3"), 3)]
)
def test_the_first_gpu_is_taken_unless_another_is_asked_for(
    machine: Machine, words: tuple[str, ...], number: int
) -> None:
    machine.judge(*words)
    assert machine.asked == [number]
    assert machine.opened == [("h200", number)]


def test_a_plan_is_made_for_the_product_that_is_here(machine: Machine) -> None:
    machine.gpu = gpu_called("NVIDIA H100 80GB HBM3")
    ran = machine.judge()
    assert "(device table h100-sxm)" in ran.out
    assert machine.opened == [("h100-sxm", 0)]


def test_the_gpu_can_be_left_out(machine: Machine) -> None:
    ran = machine.judge("--gpu", "no")
    assert ran.code == 3
    assert "  check   -            left out: --gpu no\n" in ran.out
    assert (machine.asked, machine.opened) == ([], [])


@pytest.mark.parametrize(
    ("gpu", "words", "why"),
    [
        (
            gpu_called("NVIDIA B200", (10, 0)),
            (),
            "needs another GPU: NVIDIA B200 is no hopper product that there is a device table for",
        ),
        (
            gpu_called("NVIDIA GeForce RTX 4090", (8, 9)),
            (),
            "needs another GPU: NVIDIA GeForce RTX 4090 is no hopper product",
        ),
        (
            gpu_called("NVIDIA H200"),
            ("--device", "h100-pcie"),
            "needs another GPU: NVIDIA H200 is an h200, and the plan is to be for h100-pcie",
        ),
    ],
    ids=["blackwell", "unknown", "another_table"],
)
def test_a_gpu_that_will_not_do_is_left_alone_or_refused_where_it_was_asked_for(
    machine: Machine, gpu: Gpu, words: tuple[str, ...], why: str
) -> None:
    machine.gpu = gpu
    ran = machine.judge(*words)
    assert ran.code == 3
    assert why in " ".join(ran.out.split())
    ran = machine.judge("--gpu", "0", *words)
    assert (ran.code, ran.out) == (65, "")
    assert ran.err.startswith("ptxboard: --gpu: NVIDIA ")
    assert machine.opened == []


def test_a_tool_that_was_asked_for_is_run_and_what_it_finds_is_shown(machine: Machine) -> None:
    race = SanitizerReport(1, ("'Race reported between Write and Read access' in 'k'",))
    machine.examiner = FakeExaminer({ExaminationKind.RACECHECK: race})
    ran = machine.judge("--examine", "racecheck", "--examine", "nsight")
    assert ran.code == 0
    assert machine.examiner.asked == [ExaminationKind.RACECHECK, ExaminationKind.NSIGHT]
    assert "\n  hold: race_found\n    racecheck found threads that use shared memory" in ran.out
    assert "Race reported between Write and Read access" in ran.out
    assert "\n  integrity    held" in ran.out


def test_what_became_of_a_tool_stands_in_the_facts(machine: Machine) -> None:
    judgement = machine.judge("--json", "--examine", "memcheck").judgement
    (check,) = (one for one in judgement.reports if one.stage is Stage.CHECK)
    (fact,) = (one for one in check.facts if one.name == "examined.memcheck")
    assert fact.value == "not run, missing: it is not installed"


def test_nobody_looks_closer_unasked_at_a_kernel_that_works(machine: Machine) -> None:
    assert machine.judge().code == 0
    assert machine.examiner.asked == []


def test_a_tool_cannot_be_asked_for_where_there_is_no_gpu(machine: Machine) -> None:
    ran = machine.judge("--gpu", "no", "--examine", "memcheck")
    assert (ran.code, ran.out) == (69, "")
    assert ran.err.startswith("ptxboard: --examine memcheck: left out: --gpu no\n")
    with pytest.raises(SystemExit) as ended:
        machine.judge("--examine", "synccheck")
    assert ended.value.code == 2


def test_a_gpu_that_was_asked_for_and_is_not_there_is_an_error(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(number: int) -> Gpu:
        raise ToolMissing(f"the CUDA driver shows no GPU number {number}")

    monkeypatch.setattr(machine, "_find", gone)
    assert machine.judge("--gpu", "7").code == 69
    assert machine.judge().code == 3


@pytest.mark.parametrize("word", ["yes", "-1", "1.5", "", "h200", "\u0663"])
def test_a_word_that_is_no_choice_is_refused(machine: Machine, word: str) -> None:
    with pytest.raises(SystemExit) as ended:
        machine.judge(f"--gpu={word}")
    assert ended.value.code == 2


@pytest.mark.parametrize(
    "failure", [ToolFailure("the referee ended"), GpuSick("Xid 79 during the kernel")]
)
def test_our_failure_on_the_gpu_is_no_verdict(machine: Machine, failure: ToolFailure) -> None:
    machine.measurer = FakeMeasurer(measured=(failure,))
    ran = machine.judge()
    assert ran.code == 70
    assert "  check   ok " in ran.out
    assert (
        "  time    ??           the judge failed here, not the kernel; there is no verdict\n"
        in ran.out
    )
    assert "verdict      " not in ran.out
    assert ran.err == f"ptxboard: {failure.what}\n"


def test_a_kernel_that_was_refused_before_needs_no_gpu(machine: Machine) -> None:
    (machine.folder / "bad.cu").write_bytes(b"#include <cublas_v2.h>\n")
    code = main(
        ("judge", "bad.cu", *ASKED),
        open_tools=machine._tools,
        open_lab=machine._lab,
        find_gpu=machine._find,
    )
    assert code == 21
    assert machine.opened == []
