"""Outputs against what is expected, and hashes against what they were: one copy to the host for all of a call."""

from evaluation.adapters.gpu import driver
from evaluation.adapters.gpu.trusted import HASH_BYTES, Compare
from evaluation.adapters.referee.buffers import Tensor
from evaluation.adapters.referee.stand import Stand
from evaluation.adapters.referee.tensors import address_of
from evaluation.adapters.referee.vendor import Tensors
from evaluation.adapters.referee.watching import Watched, watched
from evaluation.core.catalogue.problem import Output, Problem
from evaluation.core.errors import ToolFailure
from evaluation.core.measure.bench import Compared, Place
from evaluation.core.measure.canary_result import RESULT_BYTES as CANARY_BYTES
from evaluation.core.measure.canary_result import read_canary
from evaluation.core.measure.compare_result import RESULT_BYTES, read_compare
from evaluation.core.measure.seen import Canary, OutputSeen

_MOST_RANGES = 64  # inputs, and slack before and behind every buffer
_HASHES = HASH_BYTES * _MOST_RANGES
_SLOT = -(-RESULT_BYTES // 256) * 256


class Comparison:
    """``watch`` after a place was renewed, ``compare`` after its calls, all on the stand's stream."""

    def __init__(self, problem: Problem, stand: Stand) -> None:
        self._problem = problem
        self._stand = stand
        self._bytes = _SLOT * len(problem.outputs) + _HASHES
        self._results = driver.allocate(self._bytes)
        self._canary = driver.allocate(CANARY_BYTES)
        self._watched: dict[Place, tuple[Watched, int]] = {}  # and where its hashes before lie

    def watch(self, place: Place, tensors: tuple[Tensor, ...], *, key: int) -> None:
        """Enqueue the hashes of all that a call at ``place`` may not change."""
        seen = watched(tensors, key=key)
        if len(seen.ranges) > _MOST_RANGES:
            raise ToolFailure(
                f"{len(seen.ranges)} ranges are to be watched, at most {_MOST_RANGES} can be",
                action="raise the limit in adapters/referee/comparing.py",
            )
        if place in self._watched:
            _, before = self._watched[place]
        else:
            before = driver.allocate(_HASHES)
        self._watched[place] = seen, before
        seen.hash_all(self._stand.trusted, self._stand.stream, before)

    def compare(
        self, place: Place, tensors: tuple[Tensor, ...], expected: Tensors, exact: Tensors | None
    ) -> Compared:
        """Compare all outputs at ``place``; ``exact`` are the oracle's. Waits."""
        trusted, stream = self._stand.trusted, self._stand.stream
        outputs = tuple(one for one in tensors if one.argument.is_output)
        oracles: tuple[int | None, ...] = (None,) * len(outputs)
        if exact is not None:
            oracles = tuple(map(address_of, exact))
        for at, (one, theirs) in enumerate(zip(outputs, expected, strict=True)):
            asked = Compare(
                got=one.address,
                expected=address_of(theirs),
                oracle=oracles[at],
                dtype=one.argument.dtype,
                shape=one.shape,
                atol=self._problem.tolerance.atol,
                rtol=self._problem.tolerance.rtol,
            )
            trusted.compare(stream, asked, self._results + _SLOT * at)
        seen, before = self._watched[place]
        hashes_at = _SLOT * len(outputs)
        seen.hash_all(trusted, stream, self._results + hashes_at)
        was = driver.copy_from_device(before, seen.size, stream)
        content = driver.copy_from_device(self._results, hashes_at + seen.size, stream)
        inputs_intact, slack_intact = seen.intact(was, content[hashes_at:])
        return Compared(
            inputs_intact,
            slack_intact,
            tuple(
                _output(
                    content[_SLOT * at : _SLOT * (at + 1)],
                    stated,
                    one,
                    with_oracle=exact is not None,
                )
                for at, (stated, one) in enumerate(zip(self._problem.outputs, outputs, strict=True))
            ),
        )

    def canary(self, tensor: Tensor, *, key: int) -> Canary:
        """Flush, and time the loads of random lines of a tensor. Waits."""
        trusted, stream = self._stand.trusted, self._stand.stream
        trusted.flush(stream)
        size = tensor.argument.size_bytes
        written = trusted.canary(stream, tensor.address, size, self._canary, key=key)
        return read_canary(driver.copy_from_device(self._canary, written, stream))

    def close(self) -> None:
        """Give the memory of all results back; the caller has waited for all work."""
        for _, before in self._watched.values():
            driver.free(before)
        self._watched.clear()
        driver.free(self._results)
        driver.free(self._canary)


def _output(content: bytes, stated: Output, tensor: Tensor, *, with_oracle: bool) -> OutputSeen:
    """Raise ToolFailure where what is expected is not finite: that is ours, and never a pass."""
    found = read_compare(content, name=stated.name, shape=tensor.shape, with_oracle=with_oracle)
    if found.expected_nonfinite or found.oracle_nonfinite:
        raise ToolFailure(
            f"{stated.name}: {found.expected_nonfinite} of the vendor's values and {found.oracle_nonfinite} of the "
            "oracle's are not finite",
            action="report this with the problem's name; no kernel can be judged by such values",
        )
    return found.seen
