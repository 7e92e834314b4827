"""The site's workers and its beat with short waits: an app for ``celery -A short_site``."""

from datetime import timedelta

import django
import short_times
from django.conf import settings

from portal.celery import BEAT, app

django.setup()

from evaluation.services import returns  # noqa: E402 (rows need Django)
from portal.uploads import sweeping  # noqa: E402 (the same)

SECOND = timedelta(seconds=1)

# What came back waits hardly.
short_times.put(returns, HANDED_BACK=returns.Pause(free=1, first=1, most=2))
short_times.put(returns, FAILED=returns.Pause(free=0, first=1, most=2))
short_times.put(returns, LAPSED=returns.Pause(free=1, first=1, most=2))
short_times.put(sweeping, _WOKEN_AGAIN=2 * SECOND)
BEAT["sweep_submissions"]["schedule"] = 2
# However often its readers are killed, a submission is no broken one.
settings.UPLOAD_LIMITS = {"lease": 4 * SECOND, "reading_tries": 1000}

__all__ = ["app"]
