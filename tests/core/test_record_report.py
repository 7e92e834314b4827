"""The record stage: how processes end, and what a report says."""

from dataclasses import replace

import pytest
from recorded import ARGUMENTS, GIB, Process, kernel, number, play, subject, word

from evaluation.core.binary.facts import KernelReads
from evaluation.core.catalogue.dtype import DType
from evaluation.core.catalogue.problem import Argument
from evaluation.core.record.raw import RawRecording, Recordings
from evaluation.core.record.record import NeedsNoise
from evaluation.core.record.record_report import Recorded, judge_recordings
from evaluation.core.record.record_subject import Subject, plan_arguments
from evaluation.core.records import Fact, StageReport
from evaluation.core.verdict import Severity, Stage, Verdict


def raw(text: bytes, **changes: object) -> RawRecording:
    ended = RawRecording(
        text=text,
        dropped=0,
        exit_code=0,
        signal=None,
        timed_out=False,
        cpu_exhausted=False,
        memory_exhausted=False,
    )
    return replace(ended, **changes)  # type: ignore[arg-type]


def plain(p: Process, _: int) -> None:
    p.k()


def both(script: object = plain) -> tuple[RawRecording, RawRecording]:
    first, second = (raw(play(script, process).text) for process in (0, 1))  # type: ignore[arg-type]
    return first, second


def report_of(recordings: Recordings, about: Subject | None = None) -> StageReport:
    found = judge_recordings(recordings, subject() if about is None else about)
    assert isinstance(found, Recorded)
    assert (found.plan is None) == found.report.ends_run
    assert found.report.stage is Stage.RECORD
    return found.report


def ended(script: object, **changes: object) -> StageReport:
    """The report of a second process that stopped after what ``script`` wrote."""
    log = Process(1)
    log.begin()
    script(log)  # type: ignore[operator]
    first, _ = both()
    return report_of(Recordings(first, raw(log.text, **changes)))


def test_a_recorded_kernel_has_a_plan_and_its_facts() -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once("ws", lambda: p.alloc(1024))
        if n == 1:
            p.memset(ws, 256, width=4)
            p.payload(ws, b"12345678")
            p.launch("plain", number(1))
        p.query("cudaDeviceGetAttribute", [16, 0], [132])
        p.copy(p.at("C"), p.at("A"))
        p.alloc(512)
        p.k()
        p.free(p.allocs - 1)

    report = report_of(Recordings(*both(script)))
    assert report.verdict is None
    assert report.headline == "recorded: 1 launch a call, 4 set-up steps"
    assert report.facts == (
        Fact("launches_per_call", 1),
        Fact("steps_per_call", 4),
        Fact("allocations_per_call", 1),
        Fact("setup_steps", 4),
        Fact("setup_launches", 1),
        Fact("setup_allocated", 1024, "bytes"),
        Fact("setup_written", 1032, "bytes"),
        Fact("payload", 8, "bytes"),
        Fact("device_memory", 1024 + 512 + 5120, "bytes"),
        Fact("assumptions", 1),
    )


def test_two_launches_a_call_are_launches() -> None:
    def script(p: Process, n: int) -> None:
        plain(p, n)
        plain(p, n)

    assert report_of(Recordings(*both(script))).headline == (
        "recorded: 2 launches a call, 0 set-up steps"
    )


def test_a_kernel_with_padding_asks_for_noise_and_then_has_a_plan() -> None:
    struct = kernel("s", 12, 12)
    about = subject((struct,), (KernelReads("s", exact=False, read=()),))

    def script(p: Process, _: int) -> None:
        p.launch("s", number(1) * 6)

    first, second = both(script)
    assert judge_recordings(Recordings(first, second), about) == NeedsNoise(("s",), 6)
    report = report_of(Recordings(first, second, (first,) * 6), about)
    assert report.verdict is None


def test_a_refusal_of_the_differ_is_the_report() -> None:
    def script(p: Process, n: int) -> None:
        p.k(grid=[n, 1, 1])

    report = report_of(Recordings(*both(script)))
    assert report.verdict is Verdict.NOT_RECORDABLE
    assert report.headline == "call 3 differs: grid of the launch of 'k'"
    assert report.remarks[0].message == report.headline
    assert report.remarks[0].rule == "L8"


@pytest.mark.parametrize(
    ("changes", "verdict", "headline"),
    [
        (
            {"timed_out": True, "exit_code": None},
            Verdict.TIMEOUT,
            "the host code ran too long while it was recorded",
        ),
        (
            {"cpu_exhausted": True, "exit_code": None, "signal": 24},
            Verdict.TIMEOUT,
            "the host code ran too long while it was recorded",
        ),
        (
            {"memory_exhausted": True, "exit_code": None},
            Verdict.RUNTIME_ERROR,
            "the host code used too much memory while it was recorded",
        ),
        ({"dropped": 1}, Verdict.NOT_RECORDABLE, "the recording is too large"),
    ],
)
@pytest.mark.parametrize("which", [0, 1])
def test_a_limit_ends_the_run_whatever_the_recording_says(
    which: int, changes: dict[str, object], verdict: Verdict, headline: str
) -> None:
    first, second = both()
    broken = raw(b"anything", **changes)
    recordings = Recordings(first, broken) if which else Recordings(broken, second)
    report = report_of(recordings)
    assert (report.verdict, report.headline) == (verdict, headline)


def test_a_recording_that_no_recorder_writes_is_held() -> None:
    first, second = both()
    report = report_of(Recordings(first, raw(second.text + b'{"e":"end","calls":8}\n')))
    assert report.verdict is Verdict.NOT_RECORDABLE
    assert report.headline == "the recording was tampered with: stands after the end"
    assert [(one.kind, one.severity) for one in report.signals] == [
        ("recording_tampered", Severity.HOLD)
    ]
    assert report.signals[0].evidence == ("recording: line 34: stands after the end",)
    assert [(one.rule, one.message, one.instead) for one in report.remarks] == [
        ("T3", report.headline, "let nothing but the recorder write to its descriptors")
    ]


def test_a_call_that_cannot_be_recorded_is_named() -> None:
    def script(p: Process) -> None:
        p.call(1)
        p.write("remark", kind="getenv", detail="HOME")
        p.write("refused", call="cudaMemcpy", why="device to host")

    report = ended(script, exit_code=3)
    assert report.verdict is Verdict.NOT_RECORDABLE
    assert report.headline == "cannot record 'cudaMemcpy' in call 1: 'device to host'"
    assert [one.kind for one in report.signals] == ["environment_probe"]


def test_a_call_that_cannot_be_recorded_while_loading_is_named() -> None:
    report = ended(lambda p: p.write("refused", call="cudaGraphLaunch", why="graphs"))
    assert report.headline == "cannot record 'cudaGraphLaunch' while loading: 'graphs'"


@pytest.mark.parametrize(
    ("where", "headline"),
    [
        ("argument 0 set 1", "host code read device memory in call 1: argument A"),
        ("argument 7 set 0", "host code read device memory in call 1: argument 7"),
        ("allocation 3", "host code read device memory in call 1: 'allocation 3'"),
        ("symbol a\x1bb", r"host code read device memory in call 1: 'symbol a\x1bb'"),
        ("argument 0 set 2", "host code read device memory in call 1: 'argument 0 set 2'"),
    ],
)
def test_host_code_that_reads_device_memory_is_refused(where: str, headline: str) -> None:
    def script(p: Process) -> None:
        p.call(1)
        p.write("crash", signal=11, address=77, where=where)

    report = ended(script, exit_code=4)
    assert (report.verdict, report.headline) == (Verdict.NOT_RECORDABLE, headline)


@pytest.mark.parametrize(
    ("signal", "name"), [(11, "SIGSEGV"), (6, "SIGABRT"), (8, "SIGFPE"), (63, "signal 63")]
)
def test_host_code_that_crashes_elsewhere_is_a_runtime_error(signal: int, name: str) -> None:
    report = ended(lambda p: p.write("crash", signal=signal, address=0, where=""))
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.headline == f"the host code crashed while loading: {name}"


def test_an_error_that_run_raises_is_a_runtime_error_with_its_message() -> None:
    def script(p: Process) -> None:
        p.call(1)
        p.back(1, status=-1, message="tile\nis 'odd'" + "x" * 3000)

    report = ended(script)
    assert report.verdict is Verdict.RUNTIME_ERROR
    assert report.headline.startswith(r"run failed in call 1: 'tile\nis \'odd\'xxx")
    assert len(report.headline) < 1100


def test_an_error_while_loading_is_a_runtime_error() -> None:
    def script(p: Process) -> None:
        p.write("call", n=0, set=0)
        p.back(0, status=1, message="no")

    assert ended(script).headline == "run failed while loading: 'no'"


@pytest.mark.parametrize(
    ("changes", "verdict", "headline"),
    [
        (
            {"signal": 31, "exit_code": None},
            Verdict.NOT_RECORDABLE,
            "the host code made a system call in call 2 that the jail forbids",
        ),
        (
            {"signal": 9, "exit_code": None},
            Verdict.RUNTIME_ERROR,
            "the host code was ended in call 2: SIGKILL",
        ),
        (
            {"signal": 40, "exit_code": None},
            Verdict.RUNTIME_ERROR,
            "the host code was ended in call 2: signal 40",
        ),
        ({"exit_code": 0}, Verdict.RUNTIME_ERROR, "the host code ended the process in call 2"),
        ({"exit_code": 7}, Verdict.RUNTIME_ERROR, "the host code ended the process in call 2"),
    ],
)
def test_a_process_that_ends_early_is_named_with_its_call(
    changes: dict[str, object], verdict: Verdict, headline: str
) -> None:
    def script(p: Process) -> None:
        p.call(1)
        p.k()
        p.back(1)
        p.call(2)

    report = ended(script, **changes)
    assert (report.verdict, report.headline) == (verdict, headline)


def test_what_the_host_code_asked_and_left_out_becomes_notes() -> None:
    def script(p: Process, n: int) -> None:
        if n == 1:
            p.write("remark", kind="getenv", detail="HOME")
            p.write("remark", kind="getenv", detail="HOME")
            p.write("remark", kind="dropped_priority", detail="cudaStreamCreateWithPriority")
            p.write("entry", name="cuGreenCtxCreate", found=False)
            p.write("entry", name="cuTensorMapEncodeTiled", found=True)
        p.k()

    signals = report_of(Recordings(*both(script))).signals
    assert [(one.kind, one.severity, one.evidence) for one in signals] == [
        ("environment_probe", Severity.NOTE, ("getenv 'HOME'",)),
        (
            "recorder_remark",
            Severity.NOTE,
            ("dropped_priority 'cudaStreamCreateWithPriority'",),
        ),
        ("entry_not_found", Severity.NOTE, ("'cuGreenCtxCreate'",)),
    ]


def test_a_signal_holds_a_bounded_number_of_lines() -> None:
    def script(p: Process, n: int) -> None:
        for index in range(50 if n == 1 else 0):
            p.write("remark", kind="getenv", detail=f"V{index}")
        p.k()

    signals = report_of(Recordings(*both(script))).signals
    assert len(signals[0].evidence) == 20


@pytest.mark.parametrize("what", ["alloc", "memset"])
def test_a_large_set_up_is_a_note(what: str) -> None:
    def script(p: Process, n: int) -> None:
        ws = p.once("ws", lambda: p.alloc(GIB + (what == "alloc")))
        if n == 1:
            p.memset(ws, GIB)
            if what == "memset":
                p.memset(ws, 1)
        p.k()

    signals = report_of(Recordings(*both(script))).signals
    assert [one.kind for one in signals] == ["large_setup"]


def test_a_counter_that_goes_down_is_shown_as_such() -> None:
    def script(p: Process, n: int) -> None:
        p.k(100 - n)

    signals = report_of(Recordings(*both(script))).signals
    assert signals[0].evidence == ("'k': byte 24 of its parameters, 4 bytes, -1 a call",)


def test_a_plan_that_no_document_can_hold_is_refused() -> None:
    wide = kernel("many", *[1] * 5000)

    def script(p: Process, _: int) -> None:
        p.launch("many", bytes(5000))

    report = report_of(Recordings(*both(script)), subject((wide,)))
    assert report.verdict is Verdict.NOT_RECORDABLE
    assert report.headline == (
        "no document can hold the plan: functions.0.parameters: must be a list of 0 to 4096 entries"
    )


def test_tensors_are_the_arguments_of_a_plan_and_scalars_are_not() -> None:
    tensor = Argument("A", is_output=False, dtype=DType.BFLOAT16, shape=(32, 64), size_bytes=4096)
    scale = Argument("scale", is_output=False, dtype=DType.FLOAT32, shape=None, size_bytes=4)
    out = replace(tensor, name="C", is_output=True)
    assert plan_arguments((tensor, scale, out)) == (
        ARGUMENTS[0],
        replace(ARGUMENTS[2], index=2),
    )


def test_a_pointer_into_the_other_set_is_stale_in_the_first_call_too() -> None:
    def script(p: Process, n: int) -> None:
        p.launch("wide", word(p.bases["A1"]) + word(p.at("C")))

    assert report_of(Recordings(*both(script))).headline.endswith(
        "uses a pointer to argument A from an earlier call"
    )
