"""Kernels with the attributes that host code has set: what the device answers about them depends on both."""

from dataclasses import dataclass, replace

from evaluation.core.binary.facts import CubinFacts, KernelFunction
from evaluation.core.catalogue.device import Device
from evaluation.core.catalogue.function_attributes import (
    CARVEOUT,
    CARVEOUTS,
    CLUSTER_POLICIES,
    CLUSTER_POLICY,
    CLUSTER_SIDES,
    DYNAMIC_SHARED,
    NON_PORTABLE,
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What cudaFuncSetAttribute left behind; the defaults are those of a kernel just loaded."""

    dynamic_shared_bytes: int | None = None  # None: never set
    carveout_percent: int = -1
    cluster: tuple[int, int, int] = (0, 0, 0)
    non_portable: bool = False
    cluster_policy: int = 0


@dataclass(frozen=True, slots=True)
class Kernel:
    facts: KernelFunction
    settings: Settings

    @property
    def own_cluster(self) -> tuple[int, int, int] | None:
        """The cluster that the kernel itself has, by attributes or by ``__cluster_dims__``."""
        return self.settings.cluster if any(self.settings.cluster) else self.facts.cluster


class Kernels:
    """The kernels of one cubin, loaded on one device; ``set_attribute`` is cudaFuncSetAttribute."""

    def __init__(self, cubin: CubinFacts, device: Device) -> None:
        self.sm = cubin.sm
        # The runtime states the constants of the whole module for each of its kernels.
        sizes = [one.size for one in cubin.symbols if one.space == "constant"]
        self.constants = len(sizes)
        self.constant_bytes = sum(sizes)
        self._optin_bytes = device.sm_limits().shared_bytes_per_block_optin
        self._kernels = {one.name: Kernel(one, Settings()) for one in cubin.functions}

    def find(self, name: str) -> Kernel | None:
        return self._kernels.get(name)

    def set_attribute(self, name: str, attribute: int, value: int) -> None:
        """Take an attribute over. What the runtime refuses changes nothing (docs/recording.md)."""
        kernel = self._kernels.get(name)
        if kernel is not None:
            settings = self._changed(kernel, attribute, value)
            self._kernels[name] = replace(kernel, settings=settings)

    def _changed(self, kernel: Kernel, attribute: int, value: int) -> Settings:
        settings = kernel.settings
        room = self._optin_bytes - kernel.facts.static_shared_bytes
        if attribute == DYNAMIC_SHARED and 0 <= value <= room:
            return replace(settings, dynamic_shared_bytes=value)
        if attribute == CARVEOUT and value in CARVEOUTS:
            return replace(settings, carveout_percent=value)
        if attribute in CLUSTER_SIDES and value >= 0 and kernel.facts.cluster is None:
            x, y, z = (
                value if side == attribute else old
                for side, old in zip(CLUSTER_SIDES, settings.cluster, strict=True)
            )
            return replace(settings, cluster=(x, y, z))
        if attribute == NON_PORTABLE:
            return replace(settings, non_portable=value != 0)
        if attribute == CLUSTER_POLICY and value in CLUSTER_POLICIES:
            return replace(settings, cluster_policy=value)
        return settings
