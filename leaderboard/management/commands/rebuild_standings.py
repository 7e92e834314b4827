"""Make every board anew from what has been judged; the boards stay readable meanwhile."""

import time
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import rebuild


class Command(BaseCommand):
    help = __doc__

    def handle(self, *_: Any, **__: Any) -> None:
        start = time.monotonic()
        done = rebuild(at=timezone.now())
        seconds = time.monotonic() - start
        rows = f"{Standing.objects.count()} rows on {Board.objects.count()} boards"
        records = f"{RecordEvent.objects.count()} records"
        self.stdout.write(
            f"{done.entries} entries: {rows}, {records}; "
            f"{done.added} rows written, {done.removed} taken away, in {seconds:.1f} s"
        )
