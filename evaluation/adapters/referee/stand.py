"""What lies ready in a referee's process whatever the problem: device, stream, kernels, clock, NVML."""

from dataclasses import dataclass

import torch

from evaluation.adapters.gpu.nvml import Nvml
from evaluation.adapters.gpu.trusted import Trusted
from evaluation.adapters.referee.window import Window
from evaluation.core.measure.seen import DeviceSeen


@dataclass(frozen=True, slots=True)
class Stand:
    """``index`` is CUDA's number of the device, whose primary context is current and PyTorch's own."""

    index: int
    device: DeviceSeen
    trusted: Trusted
    stream: int
    window: Window
    nvml: Nvml

    @property
    def torch_device(self) -> torch.device:
        return torch.device("cuda", self.index)

    def on_stream(self) -> torch.cuda.StreamContext:
        """Let PyTorch enqueue on our stream inside the block."""
        return torch.cuda.stream(torch.cuda.ExternalStream(self.stream, self.torch_device))
