"""The versions of the libraries that the vendor's numbers come from, asked of those that this process has loaded."""

import ctypes
import os

import torch
from cuda.bindings import driver as bindings

from evaluation.adapters.gpu import driver
from evaluation.core.measure.seen import Libraries

UNKNOWN = "unknown"
_PROPERTIES = 3  # libraryPropertyType of library_types.h: major, minor, patch


def libraries() -> Libraries:
    """Ask PyTorch, the driver and cuBLAS; nothing is loaded for it. Raise CudaError."""
    toolkit = torch.version.cuda or UNKNOWN
    cudnn = torch.backends.cudnn.version()
    return Libraries(
        torch=str(torch.__version__),
        cuda=toolkit,
        cuda_driver=of_cuda(int(driver.ask(bindings.cuDriverGetVersion))),
        cublas=cublas_version(toolkit.split(".", maxsplit=1)[0]),
        cudnn=UNKNOWN if cudnn is None else of_cudnn(int(cudnn)),
    )


def of_cuda(number: int) -> str:
    """Read CUDA's numbers: 13000 is 13.0."""
    return f"{number // 1000}.{number % 1000 // 10}"


def of_cudnn(number: int) -> str:
    """Read cuDNN's numbers: 91002 is 9.10.2; before version 9 they had a digit less."""
    major = 10_000 if number >= 90_000 else 1000
    return f"{number // major}.{number % major // 100}.{number % 100}"


def cublas_version(major: str) -> str:
    """Ask the cuBLAS that PyTorch has loaded; one that is built into PyTorch cannot be asked."""
    try:
        library = ctypes.CDLL(f"libcublas.so.{major}", mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        ask = library.cublasGetProperty
    except (OSError, AttributeError):
        return UNKNOWN
    value, parts = ctypes.c_int(), []
    for which in range(_PROPERTIES):
        if ask(which, ctypes.byref(value)):
            return UNKNOWN
        parts.append(str(value.value))
    return ".".join(parts)
