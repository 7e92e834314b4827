"""Which product and which target a source means by the words it uses for them."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from evaluation.core.verdict import Target

TARGETS: Mapping[str, Target] = MappingProxyType(
    {"H100": Target.HOPPER, "H200": Target.HOPPER, "B200": Target.BLACKWELL}
)
_PRODUCT = re.compile(r"\b(H100|H200|B200)\b")
_FAMILIES = MappingProxyType({"hopper": Target.HOPPER, "blackwell": Target.BLACKWELL})


def product_of(hardware: str) -> str:
    """Give the product in a driver's device name, the whole name where we know none; H100 for ``NVIDIA H100 PCIe``."""
    found = _PRODUCT.search(hardware)
    return found[1] if found else hardware


def target_of(word: str) -> Target | None:
    """Understand a product, a family or an nvcc -gencode value; None for anything else."""
    by_gencode = next((target for target in Target if target.gencode == word.strip()), None)
    by_name = _FAMILIES.get(word.strip().lower())
    return by_gencode or by_name or TARGETS.get(product_of(word))
