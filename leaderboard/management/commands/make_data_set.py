"""Make the files of the public data set anew from what is public now."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import timezone

from evaluation.adapters.catalogue import packaged
from leaderboard.exports.data_set.making import make_data_set


class Command(BaseCommand):
    help = __doc__

    def handle(self, *_: Any, **__: Any) -> None:
        made = make_data_set(Path(settings.DATA_SET), packaged().problems(), at=timezone.now())
        for one in made.tables:
            self.stdout.write(
                f"{one.sha256}  {one.rows:>9} rows  {one.size_bytes:>11} bytes  {one.file}"
            )
