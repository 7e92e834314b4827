"""Say in a sentence why a run waits."""

from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.models import Run
from portal.celery import app
from portal.dispatch import CeleryBroker
from portal.dispatch.desk import open_desk
from portal.dispatch.waiting import why


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("uid", help="the uid of a run, as its page and the API show it")

    def handle(self, *_: Any, uid: str, **__: Any) -> None:
        try:
            run = Run.objects.filter(uid=UUID(uid)).first()
        except ValueError:
            raise CommandError(f"{uid[:80]!r} is no uid") from None
        if run is None:
            raise CommandError(f"there is no run {uid}")
        self.stdout.write(why(run, open_desk(CeleryBroker(app)), at=timezone.now()))
