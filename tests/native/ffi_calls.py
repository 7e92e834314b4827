"""Calls ``__tvm_ffi_*`` functions of a shared library as a driver would: packed arguments, raised errors, an allocator."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

NONE, INT, BOOL, FLOAT, OPAQUE_POINTER, DL_TENSOR, RAW_STRING, TENSOR = 0, 1, 2, 3, 4, 7, 8, 70
CPU, CUDA = 1, 2
BF16, FLOAT32, INT64 = (4, 16, 1), (2, 32, 1), (0, 64, 1)
OBJECT_HEADER_BYTES = 24


class Packed(ctypes.Structure):
    """TVMFFIAny."""

    class Value(ctypes.Union):
        _fields_ = (
            ("integer", ctypes.c_int64),
            ("real", ctypes.c_double),
            ("pointer", ctypes.c_void_p),
        )

    _fields_ = (("type_index", ctypes.c_int32), ("padding", ctypes.c_uint32), ("value", Value))


class TensorStruct(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class ManagedTensor(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", TensorStruct),
    )


class Text(ctypes.Structure):
    """TVMFFIByteArray."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))

    def decode(self) -> str:
        content = ctypes.string_at(self.data, self.size) if self.data else b""
        return content.decode("utf-8", "backslashreplace")


class ErrorCell(ctypes.Structure):
    """The first two fields of TVMFFIErrorCell, which follows the object's header."""

    _fields_ = (("kind", Text), ("message", Text))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call came to. ``kind`` and ``message`` are empty where nothing was raised."""

    status: int
    kind: str = ""
    message: str = ""


OK = Outcome(0)


def raised(kind: str, message: str) -> Outcome:
    return Outcome(-1, kind, message)


class Tensor:
    """A DLTensor in host memory that tests own; ``data`` is an address."""

    def __init__(
        self,
        *shape: int,
        dtype: tuple[int, int, int] = INT64,
        strides: tuple[int, ...] | None = None,
        data: int = 0,
        device: tuple[int, int] = (CPU, 0),
        byte_offset: int = 0,
    ) -> None:
        self.shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self.strides = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
        code, bits, lanes = dtype
        self.struct = TensorStruct(
            data=data,
            device_type=device[0],
            device_id=device[1],
            ndim=len(shape),
            code=code,
            bits=bits,
            lanes=lanes,
            shape=self.shape,
            byte_offset=byte_offset,
        )
        if self.strides is not None:
            self.struct.strides = self.strides


class Numbers(Tensor):
    """An output of up to 64 int64 numbers, -1 where nothing was written."""

    def __init__(self) -> None:
        self.room = (ctypes.c_int64 * 64)(*[-1] * 64)
        super().__init__(64, data=ctypes.addressof(self.room))

    def first(self, count: int) -> list[int]:
        return list(self.room[:count])

    def bytes(self, count: int) -> bytes:
        return bytes(self.room)[:count]


@dataclass(frozen=True, slots=True)
class Raw:
    """An argument given as its type index and 64 bits."""

    type_index: int
    bits: int = 0


Argument = Tensor | Raw | bool | int | float | None


def packed(argument: Argument) -> Packed:
    if isinstance(argument, Tensor):
        return Packed(DL_TENSOR, 0, Packed.Value(pointer=ctypes.addressof(argument.struct)))
    if isinstance(argument, Raw):
        return Packed(argument.type_index, 0, Packed.Value(integer=argument.bits))
    if argument is None:
        return Packed(NONE)
    if isinstance(argument, bool):
        return Packed(BOOL, 0, Packed.Value(integer=argument))
    if isinstance(argument, int):
        return Packed(INT, 0, Packed.Value(integer=argument))
    return Packed(FLOAT, 0, Packed.Value(real=argument))


class Runtime:
    """libtvm_ffi.so of the toolchain."""

    def __init__(self, library: Path) -> None:
        self.library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        self.library.TVMFFIErrorMoveFromRaised.argtypes = (ctypes.POINTER(ctypes.c_void_p),)
        self.library.TVMFFIErrorMoveFromRaised.restype = None
        self.library.TVMFFIObjectDecRef.argtypes = (ctypes.c_void_p,)
        self.library.TVMFFIEnvSetDLPackManagedTensorAllocator.argtypes = (
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_void_p),
        )

    def outcome(self, status: int) -> Outcome:
        handle = ctypes.c_void_p()
        self.library.TVMFFIErrorMoveFromRaised(ctypes.byref(handle))
        if handle.value is None:
            return Outcome(status)
        cell = ErrorCell.from_address(handle.value + OBJECT_HEADER_BYTES)
        found = Outcome(status, cell.kind.decode(), cell.message.decode())
        self.library.TVMFFIObjectDecRef(handle)
        return found


@dataclass(frozen=True, slots=True)
class Library:
    """One built test source."""

    runtime: Runtime
    handle: ctypes.CDLL

    @classmethod
    def load(cls, runtime: Runtime, path: Path) -> Self:
        return cls(runtime, ctypes.CDLL(str(path)))

    def call(self, name: str, *arguments: Argument) -> Outcome:
        return self.call_into(Packed(NONE), name, *arguments)

    def call_into(self, result: Packed, name: str, *arguments: Argument) -> Outcome:
        entry = getattr(self.handle, f"__tvm_ffi_{name}")
        array = (Packed * max(1, len(arguments)))(*map(packed, arguments))
        status = entry(None, array, ctypes.c_int32(len(arguments)), ctypes.byref(result))
        return self.runtime.outcome(status)


_ALLOCATE = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.POINTER(TensorStruct),
    ctypes.POINTER(ctypes.c_void_p),
    ctypes.c_void_p,
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p),
)
_DELETE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ManagedTensor))


@dataclass(slots=True)
class Allocator:
    """Stands for the environment's allocator: hands out made-up addresses and counts what is freed."""

    fails: bool = False
    given: list[tuple[int, ...]] = field(default_factory=list)  # shapes, in order
    freed: list[int] = field(default_factory=list)  # their numbers, in order
    kept: list[Any] = field(default_factory=list)  # what the library still points to

    def address(self, number: int) -> int:
        return 0x7000_0000_0000 + number * 0x1000

    def allocate(self, prototype: Any, into: Any, context: int, report: Callable[..., None]) -> int:
        if self.fails:
            report(context, b"MemoryError", b"the allocator has nothing left")
            return -1
        asked, number = prototype.contents, len(self.given)
        shape = (ctypes.c_int64 * asked.ndim)(*asked.shape[: asked.ndim])
        deleter = _DELETE(lambda _: self.freed.append(number))
        managed = ManagedTensor(
            major=1, minor=3, deleter=ctypes.cast(deleter, ctypes.c_void_p).value
        )
        managed.tensor = TensorStruct(
            data=self.address(number),
            device_type=asked.device_type,
            device_id=asked.device_id,
            ndim=asked.ndim,
            code=asked.code,
            bits=asked.bits,
            lanes=asked.lanes,
            shape=shape,
        )
        self.kept.append((shape, deleter, managed))
        self.given.append(tuple(shape))
        into[0] = ctypes.addressof(managed)
        return 0

    @contextmanager
    def installed(self, runtime: Runtime) -> Iterator[Self]:
        callback = _ALLOCATE(self.allocate)
        self.kept.append(callback)
        before = ctypes.c_void_p()
        change = runtime.library.TVMFFIEnvSetDLPackManagedTensorAllocator
        assert change(ctypes.cast(callback, ctypes.c_void_p), 0, ctypes.byref(before)) == 0
        try:
            yield self
        finally:
            change(before, 0, None)
