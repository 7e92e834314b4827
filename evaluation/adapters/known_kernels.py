"""The known kernels that come with the package, taken through the prepare half on the machine that measures them."""

from collections.abc import Iterator
from importlib.resources import files

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.text_files import text_of
from evaluation.core.catalogue.device import Device
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.hand_over import prepared_from
from evaluation.core.measure.known_kernel import KnownKernel, ReadyKernel
from evaluation.core.measure.known_kernel_file import load_known_kernel
from evaluation.core.measure.parts import parts_of
from evaluation.core.pipeline import Job, Tools, prepare
from evaluation.core.records import Outcome
from evaluation.core.verdict import Language


def known_kernels() -> Iterator[tuple[KnownKernel, bytes]]:
    """Each with its source, in the order of names. Raise InvalidInput for the first statement that is not right."""
    folder = files("evaluation").joinpath("canaries")
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.endswith(".toml"):
            known = load_known_kernel(text_of(entry), where=entry.name)
            yield known, folder.joinpath(f"{known.name}.cu").read_bytes()


def ready_kernels(device: Device, tools: Tools) -> tuple[ReadyKernel, ...]:
    """Prepare those of the device's target. Raise ToolFailure where one does not come through: it is ours."""
    return tuple(
        _ready(known, source, device, tools)
        for known, source in known_kernels()
        if known.target is device.target
    )


def _ready(known: KnownKernel, source: bytes, device: Device, tools: Tools) -> ReadyKernel:
    problem = packaged().problem(known.problem)
    job = Job(source, Language.CUDA, problem, known.target, device)
    outcome = Outcome(tuple(prepare(job, tools, lambda _: None)))
    if outcome.verdict is not None:
        raise ToolFailure(
            f"the known kernel {known.name} ended as {outcome.verdict}: {outcome.reports[-1].headline}",
            action="run bin/install-toolchain, then ptxboard doctor",
        )
    prepared = prepared_from(problem, device, parts_of(outcome), tools.artifacts)
    return ReadyKernel(known.name, prepared, known.band(device.product))
