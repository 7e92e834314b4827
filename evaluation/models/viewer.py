"""Who asks. Every read takes a viewer first; evaluation knows owners as opaque ids only."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Viewer:
    """``owners`` are the ids whose entries the viewer sees as their own; staff see everything."""

    owners: frozenset[str]
    staff: bool

    def __post_init__(self) -> None:
        # Rows of staff imports have the empty owner; nobody owns those.
        if "" in self.owners:
            raise ValueError("a viewer cannot own the entries that have no owner")


ANYONE = Viewer(owners=frozenset(), staff=False)
