"""What repeated calls of a lone kernel leave for the same inputs: every later call's outputs against the first's."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.memory import Buffer
from evaluation.adapters.gpu.trusted import Compare, Trusted
from evaluation.core.measure.compare_result import RESULT_BYTES, read_compare
from evaluation.core.measure.examination_run import Likeness

_KEY = 0x0DD5_0001  # of what lies in outputs before a call


@dataclass(slots=True)
class Repeats:
    """The first call's outputs lie on the host while the kernel runs, which can write anywhere on its device.

    All raise CudaError. ``seen`` has an entry for each output of each later call.
    """

    trusted: Trusted
    stream: int
    likeness: Likeness
    outputs: Sequence[Buffer]
    seen: list[dict[str, int]] = field(default_factory=list)
    _first: list[bytes] = field(default_factory=list)

    def renew(self, call: int) -> None:
        """Let nothing of an earlier call lie in the outputs."""
        for place, one in enumerate(self.outputs):
            key = _KEY + call * len(self.outputs) + place
            self.trusted.bits(self.stream, one.base, one.size, key=key)
        driver.synchronise()

    def look(self) -> None:
        """Keep what the first call left; compare what a later one did. The calls have ended."""
        if not self._first:
            self._first = [self._copied(one.base, one.size) for one in self.outputs]
            return
        for place, one in enumerate(self.outputs):
            self.seen.append(self._compared(place, one))

    def _compared(self, place: int, output: Buffer) -> dict[str, int]:
        dtype, shape = self.likeness.outputs[place]
        expected, result = driver.allocate(output.size), driver.allocate(RESULT_BYTES)
        try:
            driver.copy_to_device(expected, self._first[place], self.stream)
            limits = (self.likeness.atol, self.likeness.rtol)
            asked = Compare(output.base, expected, None, dtype, shape, *limits)
            self.trusted.compare(self.stream, asked, result)
            content = self._copied(result, RESULT_BYTES)
        finally:
            driver.free(expected)
            driver.free(result)
        found = read_compare(content, name=f"output {place}", shape=shape, with_oracle=False).seen
        return {
            "elements": found.elements,
            "nonfinite": found.nonfinite,
            "outside": found.outside,
            "outside_fourfold": found.outside_fourfold,
        }

    def _copied(self, address: int, size: int) -> bytes:
        return driver.copy_from_device(address, size, self.stream)
