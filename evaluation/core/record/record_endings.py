"""How a recorded process ended, before anything is compared: the first thing that ends a run."""

import re
from collections.abc import Mapping

from evaluation.core.quoting import quoted
from evaluation.core.record.raw import RawRecording
from evaluation.core.record.record_refusal import NotRecorded
from evaluation.core.record.recording import Crash, Recording, Refused
from evaluation.core.records import Remark
from evaluation.core.verdict import Verdict

_SIGNALS = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV"}
_SIGSYS = 31  # the jail's filter ended the process
_TOUCHED = re.compile(r"argument ([0-9]{1,3}) set [01]\Z")
_MESSAGE = 1000


_ARGUMENTS = (
    "let run take the problem's arguments in their order (ptxboard problems NAME lists them), and see that no check of "
    "its own fails with the answers of the device table"
)


def judge_limits(raw: RawRecording) -> NotRecorded | None:
    """Say which limit ended a process, if one did; needs no word of its recording."""
    if raw.timed_out or raw.cpu_exhausted:
        return _end(Verdict.TIMEOUT, "the host code ran too long while it was recorded", "L13")
    if raw.memory_exhausted:
        headline = "the host code used too much memory while it was recorded"
        return _end(Verdict.RUNTIME_ERROR, headline, "L13")
    if raw.dropped:
        headline = "the recording is too large"
        return _end(Verdict.NOT_RECORDABLE, headline, "T4", "copy less from the host in a call")
    return None


def judge_ending(
    raw: RawRecording, recording: Recording, names: Mapping[int, str]
) -> NotRecorded | None:
    """Say what kept the calls from running to their end, or None; ``names`` are the arguments'."""
    for call in recording.calls:
        if call.status:
            where = "while loading" if call.number == 0 else f"in call {call.number}"
            headline = f"run failed {where}: {quoted(call.message, limit=_MESSAGE)}"
            return _end(Verdict.RUNTIME_ERROR, headline, "ABI", _ARGUMENTS)
    last = recording.calls[-1].number
    where = "while loading" if last == 0 else f"in call {last}"
    match recording.stopped:
        case Refused(call=name, why=why):
            headline = f"cannot record {quoted(name)} {where}: {quoted(why, limit=_MESSAGE)}"
            return _end(Verdict.NOT_RECORDABLE, headline, "L10")
        case Crash() as crash:
            return _crash(crash, where, names)
        case _:
            return None if recording.ended else _early(raw, where)


def _crash(crash: Crash, where: str, names: Mapping[int, str]) -> NotRecorded:
    if crash.where:
        touched = _TOUCHED.match(crash.where)
        name = f"argument {names.get(int(touched[1]), touched[1])}" if touched else ""
        headline = f"host code read device memory {where}: {name or quoted(crash.where)}"
        instead = "leave the data to kernels; a launch plan does not depend on data"
        return _end(Verdict.NOT_RECORDABLE, headline, "L1", instead)
    name = _SIGNALS.get(crash.signal, f"signal {crash.signal}")
    return _end(Verdict.RUNTIME_ERROR, f"the host code crashed {where}: {name}", "ABI")


def _early(raw: RawRecording, where: str) -> NotRecorded:
    if raw.signal == _SIGSYS:
        headline = f"the host code made a system call {where} that the jail forbids"
        return _end(Verdict.NOT_RECORDABLE, headline, "R3")
    if raw.signal is not None:
        name = _SIGNALS.get(raw.signal, f"signal {raw.signal}")
        return _end(Verdict.RUNTIME_ERROR, f"the host code was ended {where}: {name}", "ABI")
    headline = f"the host code ended the process {where}"
    return _end(Verdict.RUNTIME_ERROR, headline, "ABI")


def _end(verdict: Verdict, headline: str, rule: str, instead: str = "") -> NotRecorded:
    return NotRecorded(verdict, headline, (Remark(rule, headline, instead),))
