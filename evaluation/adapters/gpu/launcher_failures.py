"""What to tell an operator when a launcher could not serve."""

from evaluation.adapters.gpu.launcher_link import LauncherProcess
from evaluation.adapters.jail_service import ServiceEnd, signal_name
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.launching.answers import OurFault, Ours
from evaluation.core.launching.frames import BadFrame
from evaluation.core.launching.result_names import result_name
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.quoting import quoted

_WORDS = {
    OurFault.HOST_MEMORY: (
        "the GPU can read pageable host memory, so a kernel could read the launcher's",
        "load nvidia_uvm with uvm_disable_hmm=1 (rule T1); a machine with ATS cannot judge",
    ),
    OurFault.PLAN: ("the launcher cannot read the plan", "prepare the kernel again"),
    OurFault.CUBIN: ("the image is not the one that the plan names", "prepare the kernel again"),
    OurFault.BUFFERS: (
        "the shared buffers are not those of the plan's arguments",
        "the referee and the plan disagree about the problem: compare their versions",
    ),
    OurFault.DEVICE: (
        "the image is for another architecture than this GPU's",
        "serve the target that this GPU is listed for",
    ),
    OurFault.ORDER: ("the launcher was asked for something at the wrong time", "report this"),
    OurFault.PROGRAM: ("the launcher's own code failed", "report this with the kernel's hash"),
    OurFault.DRIVER: ("the driver failed without a kernel's doing", "run ptxboard doctor"),
    OurFault.IMAGE: ("the judge's own kernels failed", "run ptxboard doctor"),
}
_WORDS_CHARACTERS = 500
_WITH_RESULT = frozenset((OurFault.DEVICE, OurFault.DRIVER, OurFault.IMAGE))


def our_failure(found: Ours, plan: bytes, *, words: str = "") -> ToolFailure:
    """Put into words why a launcher could not do its work with ``plan``; ``words`` are its own, from before that."""
    if found.reason is OurFault.ASSUMPTION:
        return ToolFailure(
            f"this device answers otherwise than its table: {_question(plan, found.detail)}",
            action="correct the table in evaluation/devices, or serve another product with this GPU (rule L6)",
        )
    what, action = _WORDS[found.reason]
    result = f": {result_name(found.detail)}" if found.reason in _WITH_RESULT else ""
    said = f": {words}" if words else ""
    return ToolFailure(what + result + said, action=action)


def garbage(bad: BadFrame) -> ToolFailure:
    """Put into words that a launcher broke the rules of its socket."""
    return ToolFailure(
        f"a launcher's answer {bad.what}",
        action="judge the kernel again; if it is always this one, its device code has a way into the launcher",
    )


def ended(end: ServiceEnd, words: str) -> ToolFailure:
    """Put into words that a launcher ended while no candidate's work was to be done."""
    how = f"exit code {end.exit_code}"
    if end.signal is not None:
        how = signal_name(end.signal)
    return ToolFailure(f"a launcher ended unasked ({how}): {words}", action="run ptxboard doctor")


def last_words(process: LauncherProcess) -> str:
    """What a launcher wrote before it fell silent, as one line."""
    said = process.words().decode(errors="replace").strip()
    return quoted(said[-_WORDS_CHARACTERS:], limit=_WORDS_CHARACTERS * 2) if said else ""


def _question(plan: bytes, place: int) -> str:
    """Name the question of a plan's assumption; ``place`` is what a launcher said."""
    try:
        assumptions = plan_from_json(plan).assumptions
    except InvalidInput:
        return f"assumption {place}"
    if place >= len(assumptions):
        return f"assumption {place}"
    one = assumptions[place]
    asked = ", ".join(
        quoted(each) if isinstance(each, str) else str(each) for each in one.arguments
    )
    return f"{quoted(one.call)}({asked}) is not {one.answer}"
