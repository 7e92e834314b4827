"""Show the workers, drain one, or count one again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.services import set_draining
from portal.dispatch.overview import canary_lines, worker_lines


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser(
            "show",
            help="one line for each worker, the newest first, and how known kernels last ran there",
        )
        drain = acts.add_parser("drain", help="send no message for its sake any more")
        drain.add_argument("name")
        undrain = acts.add_parser("undrain", help="count it again")
        undrain.add_argument("name")

    def handle(self, *_: Any, act: str, **options: Any) -> None:
        if act == "show":
            at = timezone.now()
            for line in worker_lines(at=at):
                self.stdout.write(line)
            for line in canary_lines(at=at):
                self.stdout.write(line)
            return
        name = options["name"]
        if not set_draining(name, draining=act == "drain"):
            raise CommandError(f"no worker {name[:80]!r} is known that this would change")
        said = "is drained: end it when it is idle" if act == "drain" else "is counted again"
        self.stdout.write(f"{name} {said}")
