"""Which parts of a JSON document are wanted, said as paths."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final


class Each(Enum):
    """Stands in a path for every element of an array."""

    EACH = "each"


EACH: Final = Each.EACH

Path = tuple[str | Each, ...]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The value at ``at``; of it only the parts at ``keep`` (paths from there), or all of it when there are none."""

    at: Path
    keep: tuple[Path, ...] = ()


@dataclass(slots=True)
class Node:
    """A place in a document that a wanted path leads through or to."""

    children: dict[str, "Node"] = field(default_factory=dict)
    each: "Node | None" = None
    # A value is built here: all of it, or the parts that this other tree leads to.
    is_wanted: bool = False
    parts: "Node | None" = None


def tree(wanted: Sequence[Wanted]) -> Node:
    """The wanted paths as one tree; where one path goes on below another, the shorter one has it all."""
    root = Node()
    for one in wanted:
        leaf = _grown(root, one.at)
        leaf.is_wanted = True
        if one.keep:
            leaf.parts = tree([Wanted(path) for path in one.keep])
    return root


def _grown(root: Node, path: Path) -> Node:
    node = root
    for step in path:
        if isinstance(step, Each):
            node.each = node.each or Node()
            node = node.each
        else:
            node = node.children.setdefault(step, Node())
    return node
