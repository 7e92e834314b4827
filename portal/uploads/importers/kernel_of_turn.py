"""The kernel that a reply holds: one rule for every format whose replies are text.

Of the closed blocks in the harness's own language tag the last that looks like a kernel counts, otherwise the last
that is not empty. Only where there is none are blocks of a related tag, of no tag, and blocks never closed looked at,
in this order and by the same rule; a kernel found so says how, because the harness may not have seen it.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from evaluation.core.verdict import Language
from portal.uploads.importers.fences import Block, blocks

LIMIT_REPLY_CHARACTERS = 2_000_000
"""Of one reply; a reply of 128,000 tokens has about 500,000."""
LIMIT_FENCES = 1000
"""Of one reply; each costs microseconds, and a hostile document could hold millions."""


class How(StrEnum):
    """Where a kernel was found, when not under the language tag that harnesses ask for."""

    BY_THE_RULE = ""
    RELATED_TAG = "related_tag"
    NO_TAG = "no_tag"
    NEVER_CLOSED = "never_closed"


@dataclass(frozen=True, slots=True)
class FoundKernel:
    source: str
    how: How = How.BY_THE_RULE


@dataclass(frozen=True, slots=True)
class _Tags:
    own: frozenset[str]
    related: frozenset[str]

    @property
    def all(self) -> frozenset[str]:
        return self.own | self.related


_TAGS = {
    Language.CUDA: _Tags(
        frozenset({"cpp"}),
        frozenset({"c++", "cuda", "cu", "cuda-cpp", "cuda-c++", "cuda_cpp", "cxx", "cc", "c"}),
    ),
    Language.TRITON: _Tags(frozenset({"python"}), frozenset({"py", "python3", "triton"})),
}
_EXPORT = re.compile(r"TVM_FFI_DLL_EXPORT|PYBIND11_MODULE|TORCH_LIBRARY|torch/extension\.h")
_DEVICE_CODE = re.compile(r"<<<|__global__|TensorView|cudaLaunchKernel|cuLaunchKernel")
_TRITON_KERNEL = re.compile(r"@(?:triton\.)?jit\b")
_TRITON_ENTRY = re.compile(r"^def run\b", re.MULTILINE)


def kernel_of_turn(reply: str, language: Language) -> FoundKernel | None:
    """Find the kernel of a reply, in linear time; None where there is none. Callers keep to the limits above."""
    tags = _TAGS[language]
    found = [block for block in blocks(reply, tags.all) if block.text.strip()]
    closed = [block for block in found if block.closed]
    tiers = (
        (How.BY_THE_RULE, (one for one in closed if one.tag in tags.own)),
        (How.RELATED_TAG, (one for one in closed if one.tag in tags.related)),
        (How.NO_TAG, (one for one in closed if not one.tag)),
        (How.NEVER_CLOSED, (one for one in found if not one.closed and one.tag in tags.all)),
    )
    for how, tier in tiers:
        chosen = _last_valid_or_last(tier, language)
        if chosen is not None:
            return FoundKernel(chosen.text, how)
    return None


def fences_in(reply: str) -> int:
    """Count what may be fences; never fewer than there are."""
    return reply.count("```") + reply.count("~~~")


def looks_valid(source: str, language: Language) -> bool:
    """Tell whether a block has what a whole kernel file has: an entry point that is exported, and device code."""
    if language is Language.TRITON:
        return bool(_TRITON_KERNEL.search(source) and _TRITON_ENTRY.search(source))
    return bool(_EXPORT.search(source) and _DEVICE_CODE.search(source))


def _last_valid_or_last(tier: Iterable[Block], language: Language) -> Block | None:
    last: Block | None = None
    valid: Block | None = None
    for block in tier:
        last = block
        if looks_valid(block.text, language):
            valid = block
    return valid or last
