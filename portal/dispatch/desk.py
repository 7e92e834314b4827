"""What dispatching and hearing workers needs at hand."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.conf import settings

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.catalogue import packaged
from evaluation.adapters.workspace import Workspace
from evaluation.core.ports import Artifacts
from evaluation.core.verdict import Target
from portal.dispatch.broker import Broker


@dataclass(frozen=True, slots=True)
class Desk:
    """``targets`` has the target of every product that there is a device table for."""

    broker: Broker
    store: Artifacts
    targets: Mapping[str, Target]


def open_desk(broker: Broker) -> Desk:
    """The desk of this installation: artifacts in its state folder, the products of this release."""
    products = {device.product: device.target for device in packaged().devices()}
    store = LocalArtifacts(Workspace(settings.HOME).artifacts)
    return Desk(broker, store, MappingProxyType(products))
