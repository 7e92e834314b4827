"""One way to call the CUDA driver: a result code becomes an exception, a result becomes a plain value."""

from collections.abc import Callable
from typing import Any

from cuda.bindings import driver

_UNKNOWN = int(driver.CUresult.CUDA_ERROR_UNKNOWN)


class CudaError(Exception):
    """The driver refused a call or reports an earlier one's failure. Whose fault it is, the caller knows.

    ``code`` is the CUresult, ``name`` its name in the driver API, ``call`` the function that returned it.
    """

    def __init__(self, code: int, name: str, call: str) -> None:
        super().__init__(f"{call} returned {name} ({code})")
        self.code = code
        self.name = name
        self.call = call


def ask(function: Callable[..., Any], *arguments: object) -> Any:
    """Call a function of cuda.bindings.driver. Return None, its one value or a tuple. Raise CudaError."""
    try:
        result, *values = function(*arguments)
    except (KeyError, ValueError) as error:
        # A result code younger than the bindings has no name there.
        code = error.args[0] if error.args and isinstance(error.args[0], int) else _UNKNOWN
        raise CudaError(code, f"CUDA_ERROR_{code}", _name(function)) from error
    if result != driver.CUresult.CUDA_SUCCESS:
        raise CudaError(int(result), result.name, _name(function))
    if not values:
        return None
    return values[0] if len(values) == 1 else tuple(values)


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "an unnamed call")
