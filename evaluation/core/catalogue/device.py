"""A device table: what one exact product answers when host code asks about the device.

An answer that nobody has measured or published is absent. The recorder may not invent one: what it took from the
table is an assumption of the launch plan, and the launcher asks the real device the same (rule L6).
"""

from dataclasses import dataclass
from enum import StrEnum

from evaluation.core.catalogue.device_attributes import NAMES, OF_THE_HOST
from evaluation.core.catalogue.occupancy import SmLimits, active_clusters
from evaluation.core.verdict import Target

DEVICE_MEMORY_BYTES = 24 * 2**30
"""What one kernel may have: all arguments of a problem together, and all that a plan needs beside them (rule T4)."""


class FactName(StrEnum):
    """What a device says of itself outside its numbered attributes."""

    DEVICE_NAME = "device_name"  # cudaDeviceProp.name, exactly
    TOTAL_MEMORY_BYTES = "total_memory_bytes"  # cudaDeviceProp.totalGlobalMem
    PORTABLE_CLUSTER_BLOCKS = "portable_cluster_blocks"  # largest cluster without asking
    LARGEST_CLUSTER_BLOCKS = "largest_cluster_blocks"  # with NonPortableClusterSizeAllowed


@dataclass(frozen=True, slots=True)
class Attribute:
    """A device attribute by CUDA's number and name; ``source`` says who states it."""

    number: int
    name: str
    value: int
    source: str


@dataclass(frozen=True, slots=True)
class DeviceFact:
    name: FactName
    value: int | str
    source: str


@dataclass(frozen=True, slots=True)
class ActiveClusters:
    """How many clusters of ``blocks`` the device holds at a time when every block fills an SM."""

    blocks: int
    clusters: int
    source: str


@dataclass(frozen=True, slots=True)
class ClusterGroup:
    """``groups`` groups of ``multiprocessors`` SMs each; the blocks of a cluster share one group."""

    multiprocessors: int
    groups: int
    source: str


@dataclass(frozen=True, slots=True)
class Device:
    """One product. Attributes are in the order of their numbers, each once."""

    product: str
    title: str
    target: Target
    attributes: tuple[Attribute, ...]
    facts: tuple[DeviceFact, ...]
    active_clusters: tuple[ActiveClusters, ...]
    cluster_groups: tuple[
        ClusterGroup, ...
    ] = ()  # largest group first; empty where nobody measured

    def attribute(self, number: int) -> int | None:
        """Answer ``cudaDeviceGetAttribute``; None where the table does not say."""
        return next((one.value for one in self.attributes if one.number == number), None)

    def fact(self, name: FactName) -> int | str | None:
        return next((one.value for one in self.facts if one.name is name), None)

    @property
    def device_name(self) -> str | None:
        value = self.fact(FactName.DEVICE_NAME)
        return value if isinstance(value, str) else None

    @property
    def total_memory_bytes(self) -> int | None:
        value = self.fact(FactName.TOTAL_MEMORY_BYTES)
        return value if isinstance(value, int) else None

    @property
    def portable_cluster_blocks(self) -> int:
        """The largest cluster without asking; a table without it does not load."""
        return self._known_fact(FactName.PORTABLE_CLUSTER_BLOCKS)

    @property
    def largest_cluster_blocks(self) -> int:
        """The largest cluster with NonPortableClusterSizeAllowed; a table without it does not load."""
        return self._known_fact(FactName.LARGEST_CLUSTER_BLOCKS)

    @property
    def multiprocessors(self) -> int:
        return self._known(16)

    def sm_limits(self) -> SmLimits:
        """Limits of one SM and one block; a table without them does not load."""
        return SmLimits(
            threads=self._known(39),
            blocks=self._known(106),
            registers=self._known(82),
            shared_bytes=self._known(81),
            threads_per_block=self._known(1),
            registers_per_block=self._known(12),
            shared_bytes_per_block=self._known(8),
            shared_bytes_per_block_optin=self._known(97),
            shared_bytes_reserved_per_block=self._known(111),
        )

    def clusters_at_a_time(self, *, cluster_blocks: int, blocks_per_sm: int) -> int | None:
        """Answer ``cudaOccupancyMaxActiveClusters`` for a kernel of so many blocks an SM; None where unknown.

        ``blocks_per_sm`` is the answer of ``active_blocks_per_sm`` for the same kernel and block.
        """
        if not self.cluster_groups:
            return None
        groups = tuple((one.multiprocessors, one.groups) for one in self.cluster_groups)
        return active_clusters(cluster_blocks, blocks_per_sm, groups)

    def unknown_attributes(self) -> tuple[tuple[int, str], ...]:
        """Numbers and names of what could be stated of a product and is not, to be shown as unknown."""
        known = {one.number for one in self.attributes}
        return tuple(
            (number, name)
            for number, name in NAMES.items()
            if number not in known and number not in OF_THE_HOST
        )

    def unknown_facts(self) -> tuple[FactName, ...]:
        known = {one.name for one in self.facts}
        return tuple(name for name in FactName if name not in known)

    def _known(self, number: int) -> int:
        value = self.attribute(number)
        if value is None:
            raise ValueError(f"{self.product} was built without attribute {number}")
        return value

    def _known_fact(self, name: FactName) -> int:
        value = self.fact(name)
        if not isinstance(value, int):
            raise ValueError(f"{self.product} was built without {name}")  # noqa: TRY004
        return value


def default_product(target: Target) -> str:
    """Name the product whose table answers where a job names a target only."""
    return {Target.HOPPER: "h200", Target.BLACKWELL: "b200"}[target]
