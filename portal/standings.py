"""What boards have to look at again when a run is over or its kernel is held."""

import logging
from collections.abc import Sequence

log = logging.getLogger(__name__)


def look_again(runs: Sequence[int]) -> None:
    """Let the projection read these runs again."""
    log.info("standings are to read %d runs again", len(runs))
