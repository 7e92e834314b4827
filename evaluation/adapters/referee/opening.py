"""Opens a device for a referee: context, kernels of our own, NVML, and the product that our tables call it."""

from pathlib import Path

import torch

from evaluation.adapters.catalogue import packaged
from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.driver_facts import DeviceFacts
from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.gpu.trusted import Trusted
from evaluation.adapters.referee import oracle
from evaluation.adapters.referee.answering import answers_in_time
from evaluation.adapters.referee.libraries import libraries
from evaluation.adapters.referee.stand import Stand
from evaluation.adapters.referee.window import Window
from evaluation.core.catalogue.device import Device
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.health import GpuSick
from evaluation.core.measure.seen import DeviceSeen

HEALTH_SECONDS = 10.0
_MULTIPROCESSORS = 16  # cudaDevAttrMultiProcessorCount


def open_stand(index: int, trusted_cubin: Path, *, confined: bool) -> Stand:
    """Open CUDA's device ``index``, whose primary context becomes current; ``confined`` is told on.

    Raise ToolFailure, GpuSick or CudaError.
    """
    driver.start()
    facts = driver.device_facts(index)
    _refuse_pageable_access(facts)
    product = product_of(facts, packaged().devices())
    driver.open_context(index, own=False)
    torch.cuda.set_device(index)
    torch.zeros(1, device=torch.device("cuda", index))  # PyTorch's own start, in the same context
    oracle.exact_arithmetic()
    trusted = Trusted(trusted_cubin.read_bytes(), device=index)
    stream = driver.create_stream()
    if not answers_in_time(trusted, stream, seconds=HEALTH_SECONDS):
        raise GpuSick(
            "the GPU does not run our own kernel", action="take it out of service and reset it"
        )
    nvml = Nvml(facts.uuid)
    seen = DeviceSeen(
        product=product,
        name=facts.name,
        uuid=facts.uuid,
        driver=nvml.driver_version,
        compute_capability=facts.compute_capability,
        multiprocessors=facts.multiprocessors,
        l2_bytes=facts.l2_bytes,
        memory_bytes=facts.memory_bytes,
        libraries=libraries(),
        confined=confined,
    )
    return Stand(index, seen, trusted, stream, Window(stream), nvml)


def product_of(facts: DeviceFacts, tables: tuple[Device, ...]) -> str:
    """Give the one product whose name and number of multiprocessors the device has. Raise ToolFailure for none."""
    for table in tables:
        if (table.device_name, table.attribute(_MULTIPROCESSORS)) == (
            facts.name,
            facts.multiprocessors,
        ):
            return table.product
    raise ToolFailure(
        f"no table in evaluation/devices is of {facts.name!r} with {facts.multiprocessors} multiprocessors",
        action="add a table for this device (docs/CONTRIBUTING.md says how), or serve another one",
    )


def _refuse_pageable_access(facts: DeviceFacts) -> None:
    """Raise ToolFailure where a kernel could read and write the memory of its host's processes (rule T1)."""
    if facts.pageable_access or facts.host_page_tables:
        raise ToolFailure(
            "device code can reach pageable host memory on this machine",
            action="load the driver with: options nvidia_uvm uvm_disable_hmm=1",
        )
