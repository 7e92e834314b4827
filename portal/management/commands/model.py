"""Show what uploads propose, add a model, put an entry under one, or make two models one."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from evaluation.core.entry_words import Track
from evaluation.core.errors import InvalidInput
from evaluation.core.quoting import quoted
from evaluation.models import Entry, Model
from evaluation.services import (
    accept_model,
    add_model,
    list_model,
    merge_models,
    model_named,
    remove_model,
)
from leaderboard.projection import refresh, refresh_models
from portal.management.proposals import proposal_lines

_SLUG = re.compile(r"[a-z0-9][a-z0-9-]{0,79}\Z")


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)
        acts.add_parser("list", help="one line for each entry without a model, the oldest first")
        add = acts.add_parser("add", help="add a model, under which entries can rank")
        add.add_argument("slug", type=_slug, help="its name in addresses")
        add.add_argument("name", help="its name on pages")
        add.add_argument("--track", choices=[str(one) for one in Track], default=str(Track.MODEL))
        add.add_argument("--released", type=date.fromisoformat, help="the day, as 2026-01-31")
        add.add_argument("--alias", action="append", default=[], help="a name of it in uploads")
        accept = acts.add_parser("accept", help="put an entry under a model; it ranks from then on")
        accept.add_argument("entry", type=UUID, help="the uid of the entry, as its page shows it")
        accept.add_argument("slug", help="the model")
        merge = acts.add_parser("merge", help="give everything of one model to another")
        merge.add_argument("slug", help="the model that ceases to be")
        merge.add_argument("into", help="the model that stays, with its name and dates")

    def handle(self, *_: Any, act: str, **options: Any) -> None:
        acts: dict[str, Callable[..., str]] = {
            "list": lambda **_: "\n".join(proposal_lines()),
            "add": _add,
            "accept": _accept,
            "merge": _merge,
        }
        self.stdout.write(acts[act](**options))


def _slug(word: str) -> str:
    if not _SLUG.match(word):
        raise ArgumentTypeError("a slug has 1 to 80 small letters, digits and hyphens")
    return word


def _add(
    *, slug: str, name: str, track: str, released: date | None, alias: list[str], **_: Any
) -> str:
    for word in (slug, name, *alias):
        if there := model_named(word):
            raise CommandError(f"{quoted(word)} is a name of {there.slug}; accept entries under it")
    add_model(
        slug,
        name,
        Track(track),
        aliases=tuple(alias),
        released_on=released,
        accepted_at=timezone.now(),
    )
    return f"added {slug}; manage.py model accept puts entries under it"


def _accept(*, entry: UUID, slug: str, **_: Any) -> str:
    model, at = _model(slug), timezone.now()
    found = Entry.objects.filter(uid=entry).first()
    if found is None:
        raise CommandError(f"there is no entry {entry}")
    if not accept_model(found, model):
        raise CommandError(f"{entry} is under a model already; its page names it")
    if list_model(model, at=at):
        refresh_models([model.pk], at=at)
    else:
        refresh([found.pk], at=at)
    return f"{entry} is under {slug} now, and on the boards as far as it can be"


def _merge(*, slug: str, into: str, **_: Any) -> str:
    """Done again after a crash, it ends at the same."""
    gone, stays, at = _model(slug), _model(into), timezone.now()
    try:
        merge_models(gone, stays)
    except InvalidInput as wrong:
        raise CommandError(str(wrong)) from None
    refresh_models([stays.pk], at=at)
    if not remove_model(gone):
        raise CommandError(f"{slug} was used meanwhile; run it again")
    return f"{slug} is a name of {into} now"


def _model(slug: str) -> Model:
    found = Model.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"there is no model {quoted(slug)}; the page of models has their names")
    return found
