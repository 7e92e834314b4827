"""Make every board anew from what has been judged; the boards stay readable meanwhile."""

import time
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from evaluation.core.quoting import counted
from leaderboard.models import Board, RecordEvent, Standing
from leaderboard.projection import rebuild


class Command(BaseCommand):
    help = __doc__

    def handle(self, *_: Any, **__: Any) -> None:
        start = time.monotonic()
        done = rebuild(at=timezone.now())
        seconds = time.monotonic() - start
        rows = f"{counted(Standing.objects.count(), 'row')} on {counted(Board.objects.count(), 'board')}"
        records = counted(RecordEvent.objects.count(), "record")
        self.stdout.write(
            f"{counted(done.entries, 'entry', many='entries')}: {rows}, {records}; "
            f"{counted(done.added, 'row')} written, {done.removed} taken away, in {seconds:.1f} s"
        )
