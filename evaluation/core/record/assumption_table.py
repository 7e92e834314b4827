"""Every answer that the recorder gives from the device table, given again outside the jail (rules L6, T3).

What a plan assumes is checked on the real device, and a difference there is our fault. The recording is the author's
document, so an assumption counts only if the table itself gives it: one that somebody made up would turn his fault
into ours. ``docs/recording.md`` lists the questions.
"""

from collections.abc import Iterable

from evaluation.core.binary.facts import CubinFacts
from evaluation.core.catalogue.device import Device
from evaluation.core.plan.plan import Assumption, AttributeStep, Step
from evaluation.core.plan.plan_limits import HEAP_DEFAULT_BYTES, STACK_DEFAULT_BYTES
from evaluation.core.record import kernel_answers
from evaluation.core.record.answers_in_doubt import is_in_doubt
from evaluation.core.record.kernel_settings import Kernel, Kernels
from evaluation.core.record.recording import Attribute, Event, Query

Answer = tuple[int | str, ...]

_CUDA_VERSION = 13_000  # the pinned toolkit's; a driver below it would not run the kernel
_STREAM_PRIORITIES = (0, -5)  # least and greatest, as measured on an H200
_FRESH_LIMITS = {  # by cudaLimit, of a fresh context, as measured on an H200
    0: STACK_DEFAULT_BYTES,
    2: HEAP_DEFAULT_BYTES,
    8: 0,  # no compute in graphics
}
_SHARED_LIMIT = 7  # shared memory of a block, where graphics shares the device


class AnswerTable:
    """What one device answers; questions about kernels depend on the attributes set before."""

    def __init__(self, device: Device, cubin: CubinFacts) -> None:
        self._device = device
        self._kernels = Kernels(cubin, device)
        self._about_device = _device_answers(device)

    def set_attribute(self, done: Attribute | AttributeStep) -> None:
        self._kernels.set_attribute(done.function, done.attribute, done.value)

    def answer(self, call: str, arguments: Answer) -> Answer | None:
        """Answer as the shim does; None for what it never answers."""
        known = self._about_device.get((call, arguments))
        kernel = self._kernel(arguments)
        if known is not None or kernel is None:
            return known
        return self._about_kernel(kernel, call, arguments[1:])

    def is_in_doubt(self, call: str, arguments: Answer) -> bool:
        """Say whether the real device may answer a question otherwise (answers_in_doubt)."""
        kernel = self._kernel(arguments)
        if kernel is None:
            return False
        return is_in_doubt(kernel, call, arguments[1:], self._kernels)

    def _kernel(self, arguments: Answer) -> Kernel | None:
        """Give the kernel that a question names, which stands first."""
        name = arguments[0] if arguments else None
        return self._kernels.find(name) if isinstance(name, str) else None

    def _about_kernel(self, kernel: Kernel, call: str, asked: Answer) -> Answer | None:
        device = self._device
        found: int | None
        match call, asked:
            case "cudaFuncGetAttributes", ():
                return kernel_answers.attributes(kernel, device)
            case "cuFuncGetAttribute", (int(number),):
                found = kernel_answers.attribute(kernel, number, device, self._kernels)
            case "cudaOccupancyMaxActiveBlocksPerMultiprocessor", (int(threads), int(shared)):
                found = kernel_answers.blocks_per_sm(kernel, threads, shared, device)
            case "cudaOccupancyAvailableDynamicSMemPerBlock", (int(blocks), int(threads)):
                found = kernel_answers.shared_room(kernel, blocks, threads, device)
            case "cudaOccupancyMaxActiveClusters", (int(threads), int(shared), int(blocks)):
                found = kernel_answers.active_clusters(kernel, threads, shared, blocks, device)
            case "cudaOccupancyMaxPotentialClusterSize", (int(threads), int(shared), 0):
                found = kernel_answers.largest_cluster(kernel, threads, shared, device)
            case _:
                found = None
        return None if found is None else (found,)


def answers(
    asked: Assumption | Query,
    device: Device,
    cubin: CubinFacts,
    steps: Iterable[Step] = (),
) -> Answer | None:
    """Answer one question after the attribute steps among ``steps``; None for what is no question."""
    return _after(steps, device, cubin).answer(asked.call, asked.arguments)


def settled(
    told: Iterable[Assumption],
    device: Device,
    cubin: CubinFacts,
    steps: Iterable[Step] = (),
) -> tuple[Assumption, ...]:
    """Give the assumptions that the device itself makes true after the attribute steps among ``steps``."""
    table = _after(steps, device, cubin)
    return tuple(
        one
        for one in told
        if table.answer(one.call, one.arguments) == one.answer
        and not table.is_in_doubt(one.call, one.arguments)
    )


def first_forged(events: Iterable[Event], device: Device, cubin: CubinFacts) -> Query | None:
    """Give the first query of a recording whose answer the shim cannot have given at that moment."""
    table = AnswerTable(device, cubin)
    for event in events:
        if isinstance(event, Attribute):
            table.set_attribute(event)
        elif isinstance(event, Query) and table.answer(event.call, event.arguments) != event.answer:
            return event
    return None


def _after(steps: Iterable[Step], device: Device, cubin: CubinFacts) -> AnswerTable:
    table = AnswerTable(device, cubin)
    for step in steps:
        if isinstance(step, AttributeStep):
            table.set_attribute(step)
    return table


def _device_answers(device: Device) -> dict[tuple[str, Answer], Answer]:
    found: dict[tuple[str, Answer], Answer] = {
        ("cudaDeviceGetStreamPriorityRange", ()): _STREAM_PRIORITIES,
    }
    for call in ("cudaGetDeviceCount", "cuDeviceGetCount"):
        found[call, ()] = (1,)
    for call in ("cudaDriverGetVersion", "cuDriverGetVersion"):
        found[call, ()] = (_CUDA_VERSION,)
    for call in ("cudaDeviceGetLimit", "cuCtxGetLimit"):
        for number, value in _FRESH_LIMITS.items():
            found[call, (number,)] = (value,)
        found[call, (_SHARED_LIMIT,)] = (device.sm_limits().shared_bytes_per_block_optin,)
    for one in device.attributes:
        for call in ("cudaDeviceGetAttribute", "cuDeviceGetAttribute"):
            found[call, (one.number, 0)] = (one.value,)
    if device.device_name:
        found["cuDeviceGetName", (0,)] = (device.device_name,)
    if device.total_memory_bytes:
        found["cuDeviceTotalMem", (0,)] = (device.total_memory_bytes,)
    return found
