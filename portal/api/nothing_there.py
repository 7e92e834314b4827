"""What the site says of an address that nothing is at: to programs as JSON, to people as a page."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.defaults import page_not_found

from portal.api.errors import not_found_words

API = "/api/"


def nothing_there(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(API):
        return JsonResponse(not_found_words(), status=404)
    return page_not_found(request, exception)
