"""Whether this server can do its work, for who watches it."""

from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def healthz(_: HttpRequest) -> JsonResponse:
    """200 where the database answers, else 503."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return JsonResponse({"database": "does not answer"}, status=503)
    return JsonResponse({"database": "answers"})
