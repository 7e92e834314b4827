"""The bootstrap of a rate over trajectories within prompts, without drawing: its distribution is counted exactly.

A resample draws, for each prompt, as many of its trajectories as it has, with replacement (B. Efron, "Bootstrap
methods", Annals of Statistics 7, 1979; within strata as a survey would). All resamples together are a product of sums,
one sum for each prompt: written as a polynomial whose exponents are hits and turns that do not count, and the
polynomial as one long integer, a few multiplications give how many resamples have which rate. So no seed decides a
rank, and the same turns always give the same interval.
"""

import math
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leaderboard.statistics import Interval, Tally, Z

_TAIL = 40  # at each side one resample of so many is left out, which is 2.5 %
_MOST_BITS = (
    1 << 18
)  # of the long integer: some milliseconds; what is larger has trajectories enough for _normal

_WORD = 8  # bytes that are read as a number at once

Prompts = Sequence[Sequence[Tally]]


def bootstrap(prompts: Prompts) -> Interval:
    """Give the 95 % percentile interval of hits over counted. At least one trajectory has something counted."""
    known = [[one for one in some if one.counted] for some in prompts]
    kept = [some for some in known if some]
    shape = _shape(kept)
    return _percentiles(kept, shape) if shape.bits <= _MOST_BITS else _normal(kept)


@dataclass(frozen=True, slots=True)
class _Shape:
    """How the polynomial lies in the integer: ``hits`` + 1 coefficients for each number of gaps.

    A coefficient has ``stride`` bytes, of which ``width`` are needed.
    A gap is a turn that does not count where the longest trajectory of the prompt has one that does.
    """

    hits: int
    gaps: int
    counted: int  # of a resample without gaps
    width: int

    @property
    def stride(self) -> int:
        return max(self.width, _WORD)

    @property
    def bits(self) -> int:
        return 8 * self.width * (self.hits + 1) * (self.gaps + 1)


def _shape(prompts: Prompts) -> _Shape:
    resamples = math.prod(len(some) ** len(some) for some in prompts)
    return _Shape(
        hits=sum(len(some) * max(one.hits for one in some) for some in prompts),
        gaps=sum(len(some) * max(_gaps(some)) for some in prompts),
        counted=sum(len(some) * _longest(some) for some in prompts),
        width=(resamples.bit_length() + 7) // 8,  # no coefficient is larger than their sum
    )


def _percentiles(prompts: Prompts, shape: _Shape) -> Interval:
    found = sorted(_distribution(prompts, shape))
    left_out = sum(weight for _, weight in found) // _TAIL
    return Interval(_first_beyond(found, left_out), _first_beyond(found[::-1], left_out))


def _first_beyond(found: Sequence[tuple[float, int]], left_out: int) -> float:
    """Leave out at most so many resamples from this side, and give the next one's rate."""
    passed, at = 0, 0
    while passed + found[at][1] <= left_out:
        passed += found[at][1]
        at += 1
    return found[at][0]


def _distribution(prompts: Prompts, shape: _Shape) -> Iterator[tuple[float, int]]:
    """Yield rates of resamples, each with how many have it; a rate may come more than once."""
    product = math.prod(_polynomial(some, shape) ** len(some) for some in prompts)
    for place, weight in enumerate(_coefficients(product, shape)):
        if weight:
            gaps, hits = divmod(place, shape.hits + 1)
            yield hits / (shape.counted - gaps), weight


def _coefficients(polynomial: int, shape: _Shape) -> Sequence[int]:
    places = (shape.hits + 1) * (shape.gaps + 1)
    stride = shape.stride
    text = polynomial.to_bytes(places * stride, "little")
    if stride == _WORD:
        return struct.unpack(f"<{places}Q", text)
    pieces = (text[start : start + stride] for start in range(0, len(text), stride))
    return [int.from_bytes(piece, "little") for piece in pieces]


def _polynomial(some: Sequence[Tally], shape: _Shape) -> int:
    places = (
        one.hits + gaps * (shape.hits + 1) for one, gaps in zip(some, _gaps(some), strict=True)
    )
    return sum([1 << 8 * shape.stride * place for place in places])


def _gaps(some: Sequence[Tally]) -> list[int]:
    longest = _longest(some)
    return [longest - one.counted for one in some]


def _longest(some: Sequence[Tally]) -> int:
    return max(one.counted for one in some)


def _normal(prompts: Prompts) -> Interval:
    """Take the normal distribution with the bootstrap's own variance, the ratio made linear around its value."""
    every = [one for some in prompts for one in some]
    counted = sum(one.counted for one in every)
    share = sum(one.hits for one in every) / counted
    variance = math.fsum(len(some) * _variance(some, share) for some in prompts) / counted**2
    half = Z * math.sqrt(variance)
    return Interval(max(0.0, share - half), min(1.0, share + half))


def _variance(some: Sequence[Tally], share: float) -> float:
    rests = [one.hits - share * one.counted for one in some]
    middle = math.fsum(rests) / len(rests)
    return math.fsum((one - middle) ** 2 for one in rests) / len(rests)
