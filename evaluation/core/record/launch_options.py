"""Launch attributes of a recording to settings of a plan: kept, dropped by name, or refused (T4)."""

from dataclasses import dataclass

from evaluation.core.plan.plan import LaunchAttribute, LaunchSetting
from evaluation.core.quoting import quoted
from evaluation.core.record.record_refusal import refuse
from evaluation.core.record.recording import Launch, LaunchOption

# cudaLaunchAttributeID of CUDA 13.0
_IGNORE = 0
_COOPERATIVE = 2
_KEPT = {
    4: LaunchAttribute.CLUSTER,
    5: LaunchAttribute.CLUSTER_POLICY,
    6: LaunchAttribute.PROGRAMMATIC_SERIALIZATION,
    11: LaunchAttribute.PREFERRED_CLUSTER,
}
# These change no result, only how fast or next to what a kernel runs.
_DROPPED = {
    1: "cudaLaunchAttributeAccessPolicyWindow",
    3: "cudaLaunchAttributeSynchronizationPolicy",
    8: "cudaLaunchAttributePriority",
    9: "cudaLaunchAttributeMemSyncDomainMap",
    10: "cudaLaunchAttributeMemSyncDomain",
    14: "cudaLaunchAttributePreferredSharedMemoryCarveout",
    16: "cudaLaunchAttributeNvlinkUtilCentricScheduling",
}
_REFUSED = {
    7: "cudaLaunchAttributeProgrammaticEvent",
    12: "cudaLaunchAttributeLaunchCompletionEvent",
    13: "cudaLaunchAttributeDeviceUpdatableKernelNode",
}
_SIZES = {LaunchAttribute.CLUSTER, LaunchAttribute.PREFERRED_CLUSTER}
_AXES = 3


@dataclass(frozen=True, slots=True)
class Options:
    """What a plan keeps of a launch's attributes, and the names of those it leaves out."""

    cooperative: bool
    settings: tuple[LaunchSetting, ...]
    dropped: tuple[str, ...]


def read_options(launch: Launch) -> Options:
    """Sort the attributes of a launch. Raise Refusal for one that no plan can hold."""
    cooperative = launch.cooperative
    settings: dict[LaunchAttribute, LaunchSetting] = {}
    dropped = []
    for option in launch.attributes:
        if option.number == _COOPERATIVE:
            cooperative = cooperative or any(option.value)
        elif option.number in _KEPT:
            setting = _setting(launch, option)
            if setting is not None:
                settings[setting.attribute] = setting
        elif option.number in _DROPPED:
            dropped.append(_DROPPED[option.number])
        elif option.number != _IGNORE:
            name = _REFUSED.get(option.number, f"launch attribute {option.number}")
            raise refuse(
                f"the launch of {quoted(launch.function)} uses {name}",
                rule="T4",
                instead="launch without this attribute; one stream in order needs none of them",
            )
    ordered = tuple(settings[one] for one in LaunchAttribute if one in settings)
    return Options(cooperative, ordered, tuple(dropped))


def _setting(launch: Launch, option: LaunchOption) -> LaunchSetting | None:
    """Read one kept attribute; one that says no or nothing is left out."""
    attribute = _KEPT[option.number]
    size = _AXES if attribute in _SIZES else 1
    if len(option.value) < size:
        raise refuse(
            f"the launch of {quoted(launch.function)} has {attribute} with too few numbers",
            rule="T4",
        )
    value = option.value[:size]
    return LaunchSetting(attribute, value) if any(value) else None
