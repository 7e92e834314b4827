"""The judge's own kernels by name: parameters and block sizes of evaluation/native/gpu, and how a launch packs them.

``tests/adapters/test_trusted_cubin.py`` compares every row with the built images.
"""

import struct
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TrustedKernel:
    """``codes``: one letter of the struct module a parameter: Q an address or 64 bits, I 32 bits, f a float."""

    name: str
    codes: str
    threads: int  # in a block

    def parameters(self, values: tuple[int | float, ...]) -> tuple[bytes, ...]:
        """The bytes of each parameter for these values."""
        return tuple(
            struct.pack(f"<{code}", value) for code, value in zip(self.codes, values, strict=True)
        )

    @property
    def sizes(self) -> tuple[int, ...]:
        """Bytes of each parameter."""
        return tuple(struct.calcsize(f"<{code}") for code in self.codes)


_COMPARE: Final = "QQQIIIIffQ"

NORMALS_F32: Final = TrustedKernel("trusted_normals_f32", "QQQI", 256)
NORMALS_BF16: Final = TrustedKernel("trusted_normals_bf16", "QQQI", 256)
BITS: Final = TrustedKernel("trusted_bits", "QQQ", 256)
HASH: Final = TrustedKernel("trusted_hash", "QQQQ", 512)
COMPARE_BF16: Final = TrustedKernel("trusted_compare_bf16", _COMPARE, 512)
COMPARE_BF16_ORACLE: Final = TrustedKernel("trusted_compare_bf16_oracle", _COMPARE, 512)
COMPARE_F32: Final = TrustedKernel("trusted_compare_f32", _COMPARE, 512)
COMPARE_F32_ORACLE: Final = TrustedKernel("trusted_compare_f32_oracle", _COMPARE, 512)
FLUSH_WRITE: Final = TrustedKernel("trusted_flush_write", "QQI", 512)
READ: Final = TrustedKernel("trusted_read", "QQIQ", 512)
CANARY: Final = TrustedKernel("trusted_canary", "QQQQQQ", 1)
SCRUB: Final = TrustedKernel("trusted_scrub", "IQ", 1024)
MATRIX: Final = TrustedKernel("trusted_matrix", "IQQ", 256)
BUSY: Final = TrustedKernel("trusted_busy", "QQQ", 32)
CHECK_READONLY: Final = TrustedKernel("trusted_check_readonly", "Q", 1)

KERNELS: Final = (
    *(NORMALS_F32, NORMALS_BF16, BITS, HASH),
    *(COMPARE_BF16, COMPARE_BF16_ORACLE, COMPARE_F32, COMPARE_F32_ORACLE),
    *(FLUSH_WRITE, READ, CANARY, SCRUB, MATRIX, BUSY, CHECK_READONLY),
)
