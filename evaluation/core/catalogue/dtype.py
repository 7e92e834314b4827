"""Element types of tensors and scalars, under the published names, with what DLPack calls them."""

from enum import StrEnum


class DType(StrEnum):
    """Types of whole bytes; a packed four-bit type would need a packing rule and is not here."""

    BFLOAT16 = "bfloat16"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT8_E4M3FN = "float8_e4m3fn"
    FLOAT8_E5M2 = "float8_e5m2"
    INT64 = "int64"
    INT32 = "int32"
    INT16 = "int16"
    INT8 = "int8"
    BOOL = "bool"

    @property
    def size_bytes(self) -> int:
        return self.dlpack_bits // 8

    @property
    def is_floating(self) -> bool:
        return "float" in self.value

    @property
    def is_integer(self) -> bool:
        return self.value.startswith("int")

    @property
    def dlpack_code(self) -> int:
        """``DLDataTypeCode`` of DLPack 1.1; one lane."""
        return _DLPACK[self][0]

    @property
    def dlpack_bits(self) -> int:
        return _DLPACK[self][1]


_DLPACK = {
    DType.BFLOAT16: (4, 16),
    DType.FLOAT16: (2, 16),
    DType.FLOAT32: (2, 32),
    DType.FLOAT8_E4M3FN: (10, 8),
    DType.FLOAT8_E5M2: (12, 8),
    DType.INT64: (0, 64),
    DType.INT32: (0, 32),
    DType.INT16: (0, 16),
    DType.INT8: (0, 8),
    DType.BOOL: (6, 8),
}
