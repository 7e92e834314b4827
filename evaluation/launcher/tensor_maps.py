"""Tensor maps with real addresses. The driver writes them to an address that is a multiple of 64.

The bindings promise no such address for the object that they return, so the driver's function is called directly.
"""

import ctypes
from collections.abc import Callable, Sequence

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import CudaError, ask
from evaluation.core.launching.replay import MAP_BYTES
from evaluation.core.launching.result_names import result_name
from evaluation.core.plan.plan import MapEncode
from evaluation.core.record.recording import MapMode

_ALIGNMENT = 64
_CUDA = 12000  # both functions are what they are since then

_Number = ctypes.c_uint32
_Long = ctypes.c_uint64
_Signed = ctypes.c_int
_BEGIN = (ctypes.c_void_p, _Signed, _Number, ctypes.c_void_p)  # map, type, rank, address
_LISTS = (ctypes.POINTER(_Long), ctypes.POINTER(_Long))  # dimensions, strides
_END = (ctypes.POINTER(_Number), _Signed, _Signed, _Signed, _Signed)
_TILED = (*_BEGIN, *_LISTS, ctypes.POINTER(_Number), *_END)
_IM2COL = (
    *(*_BEGIN, *_LISTS),
    *(ctypes.POINTER(_Signed), ctypes.POINTER(_Signed), _Number, _Number),
    *_END,
)

Function = Callable[..., int]


class Encoder:
    """Finds the driver's functions when they are asked for first. Needs no context."""

    def __init__(self) -> None:
        self._found: dict[str, Function] = {}

    def encode(self, encode: MapEncode, address: int) -> bytes:
        """Give the 128 bytes of a map over ``address``. Raise CudaError where the driver refuses."""
        room = ctypes.create_string_buffer(MAP_BYTES + _ALIGNMENT)
        at = -(-ctypes.addressof(room) // _ALIGNMENT) * _ALIGNMENT
        begin = (at, encode.data_type, len(encode.dims), address)
        lists = (_list(_Long, encode.dims), _list(_Long, encode.strides))
        end = (
            *(_list(_Number, encode.element_strides), encode.interleave),
            *(encode.swizzle, encode.l2, encode.fill),
        )
        if encode.mode is MapMode.TILED:
            name = "cuTensorMapEncodeTiled"
            call = self._function(name, _TILED)
            result = call(*begin, *lists, _list(_Number, encode.box), *end)
        else:
            name = "cuTensorMapEncodeIm2col"
            call = self._function(name, _IM2COL)
            corners = (_list(_Signed, encode.lower), _list(_Signed, encode.upper))
            result = call(*begin, *lists, *corners, encode.channels, encode.pixels, *end)
        if result:
            raise CudaError(result, result_name(result), name)
        return ctypes.string_at(at, MAP_BYTES)

    def _function(self, name: str, arguments: tuple[type, ...]) -> Function:
        if name not in self._found:
            address, _ = ask(driver.cuGetProcAddress, name.encode(), _CUDA, 0)
            self._found[name] = ctypes.CFUNCTYPE(_Signed, *arguments)(int(address))
        return self._found[name]


def _list(kind: type[ctypes.c_int] | type[_Number] | type[_Long], values: Sequence[int]) -> object:
    """A C array that is never of length 0: one row has no strides."""
    return (kind * max(len(values), 1))(*values)
