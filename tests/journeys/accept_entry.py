"""What staff do with a model that an upload proposes: ``accept_entry.py ENTRY SLUG NAME``, with the site's environment."""

import sys

import django
from django.utils import timezone

django.setup()

from evaluation.core.entry_words import Track  # noqa: E402 (rows need Django)
from evaluation.models import Entry  # noqa: E402 (the same)
from evaluation.services import accept_model, add_model  # noqa: E402 (the same)
from leaderboard.projection import refresh  # noqa: E402 (the same)


def main(uid: str, slug: str, name: str) -> None:
    model = add_model(slug, name, Track.MODEL, accepted_at=timezone.now())
    entry = Entry.objects.get(uid=uid)
    assert accept_model(entry, model)
    refresh([entry.pk], at=timezone.now())


if __name__ == "__main__":
    main(*sys.argv[1:])
