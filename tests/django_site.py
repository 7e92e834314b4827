"""Loads the site for tests that need it, and only then: the judge's own tests run where no Django is installed."""

import importlib.util
import os
import sys
from pathlib import Path

# The folders of tests that may import models.
FOLDERS = frozenset({"evaluation", "leaderboard", "portal"})
DATABASE = "PTXBOARD_DATABASE_URL"


def is_loaded() -> bool:
    return "django.conf" in sys.modules and sys.modules["django.conf"].settings.configured


def is_installed() -> bool:
    """False on a machine with a GPU, which has no site and collects these folders on its way to its own tests."""
    return importlib.util.find_spec("django") is not None


def load(home: Path) -> None:
    """Set Django up with its state in ``home``, and leave no trace in the environment.

    Of the environment only the database's address counts. Programs that a test starts inherit the environment, and a
    worker of the judge must not find settings there.
    """
    import django  # noqa: PLC0415 (see above)
    from django.conf import settings  # noqa: PLC0415 (the same)

    before = dict(os.environ)
    try:
        for name in before:
            if name.startswith("PTXBOARD_") and name != DATABASE:
                del os.environ[name]
        os.environ["DJANGO_SETTINGS_MODULE"] = "portal.settings"
        os.environ["PTXBOARD_HOME"] = str(home)
        # Revisions of boards begin anew with every test: a page of another one would be taken for today's.
        os.environ["PTXBOARD_PAGES_KEPT"] = "0"
        django.setup()
        # A password is hashed slowly on purpose, which tests that sign somebody in need not wait for.
        settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    finally:
        os.environ.clear()
        os.environ.update(before)
