"""Every address of the site that no framework brings: these stand below accounts/ and admin/."""

from collections.abc import Iterator

from django.urls import URLPattern, URLResolver, get_resolver


def our_addresses() -> list[URLPattern]:
    return list(_patterns(get_resolver()))


def _patterns(resolver: URLResolver) -> Iterator[URLPattern]:
    for one in resolver.url_patterns:
        if isinstance(one, URLPattern):
            yield one
        elif str(one.pattern) not in {"accounts/", "admin/"}:
            yield from _patterns(one)
