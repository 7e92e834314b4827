"""What evidence pages read. Every selector takes a viewer first and applies visibility and holds itself."""

from evaluation.models.viewer import ANYONE, Viewer
from evaluation.selectors.refusal import NotVisible

__all__ = ["ANYONE", "NotVisible", "Viewer"]
