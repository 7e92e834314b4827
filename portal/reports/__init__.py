"""Hears the workers: checks each message and moves the rows that it speaks of, once."""

from portal.reports.heard import Heard, Word
from portal.reports.hearing import hear

__all__ = ["Heard", "Word", "hear"]
