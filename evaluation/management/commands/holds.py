"""List what is held, the oldest first; --struck lists strikes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.core.quoting import on_one_line
from evaluation.core.run_words import HoldState
from evaluation.models import Hold


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--struck", action="store_true", help="strikes instead of open holds")

    def handle(self, *_: Any, **options: Any) -> None:
        state = HoldState.STRUCK if options["struck"] else HoldState.OPEN
        found = Hold.objects.filter(state=state).select_related("kernel").order_by("placed_at")
        for hold in found.iterator():
            day = f"{hold.placed_at:%Y-%m-%d}"
            place = f"{hold.kernel.sha256}  {hold.problem}  {hold.target}"
            why = on_one_line(hold.why)  # it may hold whatever a signal quoted
            self.stdout.write(f"{day}  {place}  {hold.source}  {why}")
        if not found.exists():
            self.stdout.write(f"nothing is {'struck' if options['struck'] else 'held'}")
