"""Hardware counters of the launcher's own context: CUPTI's range profiler through our small native library.

A *reading* takes several *passes*; a pass is one ordinary call of the kernel. The profiler is off except between
``begin_pass`` and ``end_pass`` (rule S4), unless ``stay_on`` was asked for: then it stays on until ``rest``. Beside
its call the first pass, which switches on, takes 0.19 to 0.27 s in a jail on an H200, the last one 0.02 s.
"""

import ctypes
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from cuda.bindings import driver

from evaluation.adapters.gpu.driver_calls import ask
from evaluation.core.launching.port import Unavailable

LEAST_PRIVILEGE: Final = frozenset(
    (35, 40)
)  # CUptiResult: INSUFFICIENT_PRIVILEGES, also of a virtual GPU
_UNKNOWN_METRIC: Final = 17  # CUPTI_ERROR_INVALID_METRIC_NAME
_LARGEST_EXACT: Final = 2.0**53  # above it a double no longer tells neighbouring integers apart


class CountersUnavailable(Exception):
    """No reading can be had. ``detail`` names the failing function and what it said; no candidate can write it.

    ``status`` is the CUptiResult, 0 where CUPTI said nothing.
    """

    def __init__(self, why: Unavailable, detail: str, status: int = 0) -> None:
        super().__init__(f"{why}: {detail}")
        self.why = why
        self.detail = detail
        self.status = status


class _Status:
    OK, NO_LIBRARY, CUPTI, OUT_OF_ORDER, INCOMPLETE = range(5)


class _Error(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_int32),
        ("call", ctypes.c_char * 64),
        ("words", ctypes.c_char * 192),
    )


class Counters:
    """One reader for one context, for one thread. ``library`` is our own, ``cupti`` is libcupti.so.13.

    ``device`` is CUDA's index; ``context`` the CUcontext as an integer, current where calls are made, by default the
    one that is current now. ``chip`` replaces the questions for the device's chip and the context, and so lets
    ``configure`` work without a GPU. Everything raises CountersUnavailable for what CUPTI refuses and RuntimeError
    for calls in the wrong order.
    """

    def __init__(
        self,
        library: Path,
        cupti: Path,
        device: int,
        *,
        context: int | None = None,
        chip: str | None = None,
        stay_on: bool = False,
    ) -> None:
        self._native = _load(library)
        if context is None and chip is None:
            context = int(ask(driver.cuCtxGetCurrent))
        self._names: tuple[str, ...] = ()
        self._stay_on = stay_on
        self._handle = ctypes.c_void_p()
        _ask(
            self._native.ptxboard_counters_open,
            str(cupti).encode(),
            None if chip is None else chip.encode(),
            ctypes.c_uint64(device),
            ctypes.c_void_p(context),
            ctypes.byref(self._handle),
        )

    def configure(self, metrics: Sequence[str]) -> int:
        """Choose the metrics of every following reading, once; return how many passes one takes."""
        names = (ctypes.c_char_p * len(metrics))(*(one.encode() for one in metrics))
        passes = ctypes.c_size_t()
        self._own(
            self._native.ptxboard_counters_configure,
            names,
            ctypes.c_size_t(len(metrics)),
            ctypes.byref(passes),
        )
        self._names = tuple(metrics)
        return passes.value

    def switch_on(self) -> None:
        """Make ready for the next pass, which otherwise does this itself; on until ``rest``. Closes where it fails."""
        self._switch(self._native.ptxboard_counters_switch_on)

    def begin_pass(self) -> None:
        """Switch on before a call. After a complete reading this begins a new one. Closes where it fails."""
        self._switch(self._native.ptxboard_counters_begin_pass)

    def end_pass(self) -> bool:
        """Take the pass's data and switch off. All that the call launched has ended. Closes where it fails.

        True: the reading is complete.
        """
        complete = ctypes.c_int32()
        self._switch(self._native.ptxboard_counters_end_pass, ctypes.byref(complete))
        if not self._stay_on:
            self.rest()
        return bool(complete.value)

    def rest(self) -> None:
        """Switch off until the next pass. Closes where it fails."""
        self._switch(self._native.ptxboard_counters_rest)

    def values(self) -> dict[str, int]:
        """The last complete reading by metric name, rounded to integers."""
        read = (ctypes.c_double * len(self._names))()
        self._own(
            self._native.ptxboard_counters_values,
            read,
            ctypes.c_size_t(len(self._names)),
        )
        return {name: _integer(name, value) for name, value in zip(self._names, read, strict=True)}

    def close(self) -> None:
        """Switch off and forget everything. May be called twice."""
        handle, self._handle = self._handle, ctypes.c_void_p()
        self._native.ptxboard_counters_close(handle)

    def _switch(self, function: Callable[..., int], *arguments: object) -> None:
        try:
            self._own(function, *arguments)
        except CountersUnavailable:
            self.close()  # a profiler that was left on would change the times of other calls
            raise

    def _own(self, function: Callable[..., int], *arguments: object) -> None:
        if self._handle.value is None:
            raise RuntimeError("the counters are closed")
        _ask(function, self._handle, *arguments)


def _ask(function: Callable[..., int], *arguments: object) -> None:
    error = _Error()
    status = function(*arguments, ctypes.byref(error))
    if status != _Status.OK:
        raise _failure(status, error)


def _load(library: Path) -> ctypes.CDLL:
    try:
        native = ctypes.CDLL(str(library))
    except OSError as error:
        raise CountersUnavailable(Unavailable.NO_LIBRARY, str(error)) from error
    for name in ("open", "configure", "switch_on", "begin_pass", "end_pass", "rest", "values"):
        getattr(native, f"ptxboard_counters_{name}").restype = ctypes.c_int32
    native.ptxboard_counters_close.restype = None
    return native


def _failure(status: int, error: _Error) -> Exception:
    said = f"{error.call.decode(errors='replace')}: {error.words.decode(errors='replace')}"
    if status == _Status.CUPTI:
        return CountersUnavailable(_why(error.code), f"{said} ({error.code})", error.code)
    if status == _Status.NO_LIBRARY:
        return CountersUnavailable(Unavailable.NO_LIBRARY, said)
    if status == _Status.INCOMPLETE:
        return CountersUnavailable(Unavailable.INCOMPLETE, said)
    return RuntimeError(f"the counters were used in the wrong order: {said}")


def _why(code: int) -> Unavailable:
    if code in LEAST_PRIVILEGE:
        return Unavailable.NOT_PERMITTED
    return Unavailable.UNKNOWN_METRIC if code == _UNKNOWN_METRIC else Unavailable.REFUSED


def _integer(name: str, value: float) -> int:
    if not math.isfinite(value) or not 0 <= value <= _LARGEST_EXACT:
        raise CountersUnavailable(Unavailable.INCOMPLETE, f"{name} is no count: {value!r}")
    return round(value)
