"""Gets the database ready before anything serves: tables, demo logins, sample data.

A program that runs at every start, with the site's environment; ``python -m portal.quickstart.first_start FILE`` keeps
the demo logins in FILE. It does nothing that was done before and can be killed at any point.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import django
from django.core.management import call_command


def prepare(logins: Path, load_samples: Callable[[], None]) -> None:
    """Do what is missing; raise what Django raises."""
    from portal.quickstart.demo_accounts import keep_accounts  # noqa: PLC0415 - needs the apps

    call_command("migrate", interactive=False, verbosity=1)
    keep_accounts(logins)
    load_samples()


if __name__ == "__main__":
    django.setup()
    from portal.quickstart import sample_data

    prepare(Path(sys.argv[1]), sample_data.load)
