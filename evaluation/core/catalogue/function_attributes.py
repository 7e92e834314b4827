"""Attributes of a kernel, by the numbers that cudaFuncAttribute and CUfunction_attribute of CUDA 13.0 share."""

from collections.abc import Mapping
from types import MappingProxyType

# These can be asked for alone.
MOST_THREADS = 0
STATIC_SHARED = 1
CONSTANT_BYTES = 2
LOCAL_BYTES = 3
REGISTERS = 4
PTX_VERSION = 5
BINARY_VERSION = 6
CACHE_MODE = 7
MUST_HAVE_CLUSTER = 10

# These can be set too.
DYNAMIC_SHARED = 8
CARVEOUT = 9
CLUSTER_SIDES = (11, 12, 13)  # width, height, depth
NON_PORTABLE = 14
CLUSTER_POLICY = 15

SETTABLE: Mapping[int, str] = MappingProxyType(
    {
        DYNAMIC_SHARED: "MaxDynamicSharedMemorySize",
        CARVEOUT: "PreferredSharedMemoryCarveout",
        11: "RequiredClusterWidth",
        12: "RequiredClusterHeight",
        13: "RequiredClusterDepth",
        NON_PORTABLE: "NonPortableClusterSizeAllowed",
        CLUSTER_POLICY: "ClusterSchedulingPolicyPreference",
    }
)
"""Names as CUDA spells them after ``cudaFuncAttribute``."""

# What the runtime takes on every device. The others have ranges that depend on device and kernel.
CARVEOUTS = range(-1, 101)  # percent; -1 is the default
CLUSTER_POLICIES = range(3)  # default, spread, load balancing
FLAGS = range(2)
