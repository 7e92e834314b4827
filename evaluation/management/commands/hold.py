"""Hold a kernel: it is on no board and no public page until somebody clears it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.core.run_words import HoldSource
from evaluation.core.verdict import Target
from evaluation.management.kernel_choice import add_choice, chosen_kernels
from evaluation.models import Trajectory
from evaluation.services import place_hold


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        add_choice(parser)
        parser.add_argument("--why", required=True, help="the reason, as its owner will read it")
        parser.add_argument("--by", required=True, help="who holds it")

    def handle(self, *_: Any, **options: Any) -> None:
        kernels = chosen_kernels(options["sha256"])
        target = Target(options["target"])
        problem = options["problem"]
        if not options["why"].strip():
            raise CommandError("--why is empty; its owner reads it")
        written = Trajectory.objects.filter(
            turns__kernel__in=kernels, problem=problem, target=target
        )
        if not written.exists():
            raise CommandError(f"nobody wrote this kernel for {problem} on {target}")
        placed = [
            place_hold(
                one,
                problem,
                target,
                why=options["why"],
                source=HoldSource.STAFF,
                by=options["by"],
                at=timezone.now(),
            )
            for one in kernels
        ]
        if not any(placed):
            raise CommandError("it is held or struck there already; see manage.py holds")
        self.stdout.write(f"held {kernels[0].sha256[:12]} at {problem} for {target}")
