"""Clear a hold: the kernel is back on boards and pages."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.management.kernel_choice import add_choice, open_holds
from evaluation.services import clear_hold


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add_choice(parser)
        parser.add_argument("--note", required=True, help="why it is cleared")
        parser.add_argument("--by", required=True, help="who clears it")

    def handle(self, *_: Any, **options: Any) -> None:
        for key in ("note", "by"):
            if not options[key].strip():
                raise CommandError(f"--{key} is empty; a decision has a reason and a name")
        for hold in open_holds(options["sha256"], options["problem"], options["target"]):
            if not clear_hold(hold, by=options["by"], note=options["note"], at=timezone.now()):
                raise CommandError("somebody decided it meanwhile; see manage.py holds")
        self.stdout.write(
            f"cleared {options['sha256'][:12]} at {options['problem']} for {options['target']}"
        )
