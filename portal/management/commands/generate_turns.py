"""Fill an empty site with generated entries, for tests of load. Never on a site that shows anything real."""

import time
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.adapters.catalogue import packaged
from evaluation.models import Entry
from portal.management.generated_rows.rows import Generator

_MOST = 1_000_000


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--trajectories", type=int, default=125_000, help="of 8 turns each (%(default)s)"
        )
        parser.add_argument("--seed", type=int, default=1, help="other rows (%(default)s)")

    def handle(self, *_: Any, trajectories: int, seed: int, **__: Any) -> None:
        if not 1 <= trajectories <= _MOST:
            raise CommandError(f"--trajectories takes a number from 1 to {_MOST:,}")
        if Entry.objects.exists():
            raise CommandError("the site has entries; generated ones go into an empty database")
        start = time.monotonic()
        problems = [(one.name, one.version) for one in packaged().problems() if one.ranked]
        done = Generator(problems, seed=seed).generate(trajectories)
        self.stdout.write(
            f"{done.turns:,} turns in {done.trajectories:,} trajectories of {done.entries:,} entries "
            f"under {done.models} models, in {time.monotonic() - start:.0f} s; "
            "manage.py rebuild_standings puts them on the boards"
        )
