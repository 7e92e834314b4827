"""Show the queues, pause one, or let one go on."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation import queues
from evaluation.adapters.catalogue import packaged
from evaluation.services import pause_queue, resume_queue
from portal.dispatch.overview import queue_lines


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("show", help="one line for each queue")
        pause = acts.add_parser("pause", help="send nothing more to a queue; what is out goes on")
        pause.add_argument("name")
        pause.add_argument("--why", required=True, help="the reason, as those who wait read it")
        pause.add_argument("--by", required=True, help="who pauses it")
        resume = acts.add_parser("resume", help="send to a queue again")
        resume.add_argument("name")
        resume.add_argument("--by", required=True, help="who lets it go on")

    def handle(self, *_: Any, act: str, **options: Any) -> None:
        products = tuple(device.product for device in packaged().devices())
        if act == "show":
            for line in queue_lines(products, at=timezone.now()):
                self.stdout.write(line)
            return
        name = options["name"]
        names = (queues.PREPARE, *(queues.measurer(one).queue for one in products))
        if name not in names:
            raise CommandError(f"there is no queue {name[:80]!r}; there are {', '.join(names)}")
        if act == "pause":
            self._pause(name, why=options["why"], by=options["by"])
        elif not resume_queue(name, by=options["by"]):
            raise CommandError(f"{name} is not paused")
        else:
            self.stdout.write(f"{name} goes on; the next sweep sends")

    def _pause(self, name: str, *, why: str, by: str) -> None:
        if not why.strip():
            raise CommandError("--why is empty; those who wait read it")
        if not pause_queue(name, why=why, by=by, at=timezone.now()):
            raise CommandError(f"{name} is paused already; see manage.py queue show")
        self.stdout.write(f"{name} is paused; what is out goes on")
