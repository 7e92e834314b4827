"""Names by which a kernel's library, the linker, the recorder and the policy know each other."""

from typing import Final

ENTRY: Final = "__tvm_ffi_run"
"""The one symbol that a kernel's library exports; the driver calls it."""

SHIM_LIBRARY: Final = "libptxboard_shim.so"
"""What stands in for the CUDA runtime and driver when a kernel's library is linked and recorded."""
