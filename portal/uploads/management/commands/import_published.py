"""manage.py import_published DIR: the published result files as paper values."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import IntegrityError
from django.utils import timezone

from evaluation.core.errors import InvalidInput
from leaderboard.projection import refresh_papers
from portal.uploads.paper_import import import_publication, read_published
from portal.uploads.paper_summary import lines


class Command(BaseCommand):
    help = "Import the published result files of a folder as paper values; again to change nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="the folder with experiments.csv and the others"
        )

    def handle(self, *_: object, folder: Path, **__: object) -> None:
        try:
            publication = read_published(folder)
            changes = import_publication(publication, at=timezone.now())
        except InvalidInput as error:
            raise CommandError(f"{error}\nNothing was imported.") from error
        except OSError as error:
            raise CommandError(f"{folder} cannot be read: {error.strerror}") from error
        except IntegrityError as error:
            rule = "Another import wrote the same rows at the same time. Nothing was imported; run it again."
            raise CommandError(rule) from error
        refresh_papers()
        for line in lines(publication, changes):
            self.stdout.write(line)
