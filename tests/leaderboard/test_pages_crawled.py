"""Every page that can be reached from the first one: it answers, is well formed, and its links lead somewhere."""

import re
from collections import Counter, deque
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import Resolver404, resolve
from every_page import kinds_of_pages
from page_markup import mistakes
from page_reading import apart, found_in
from seeded_site import Seeded
from site_fixtures import artifacts, seeded

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db

MOST_OF_A_KIND = 25  # kernels and the like: the others of a kind look the same
ONES_OWN = ("submission", "token")  # names of addresses that send a visitor to sign in
# Other people's pages, which other tests look at; and what sends a visitor to sign in.
NOT_FOLLOWED = ("/accounts/", "/admin/", "/static/", "/api/", "/submissions/", "/tokens/")


def test_every_page_is_well_formed_and_every_link_leads_to_a_page_and_a_place_on_it(
    client: Client, seeded: Seeded
) -> None:
    waiting = deque(["/", *special(seeded)])
    names: dict[str, set[str] | None] = dict.fromkeys(waiting)
    kinds: Counter[str] = Counter()
    fragments: set[tuple[str, str]] = set()
    while waiting:
        address = waiting.popleft()
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        if not answer["Content-Type"].startswith("text/html"):
            names[address] = set()
            continue
        page = answer.content.decode()
        assert mistakes(page) == [], address
        found = found_in(page)
        names[address] = found.names
        here = answer.redirect_chain[-1][0] if answer.redirect_chain else address
        for link in found.links:
            target, fragment = apart(urljoin(here, link))
            assert not urlsplit(target).netloc, f"{address} leads to another host: {link}"
            if fragment:
                fragments.add((target, fragment))
            if target in names or target.startswith(NOT_FOLLOWED):
                continue
            kind = kind_of(target)
            if kinds[kind] > MOST_OF_A_KIND:
                continue
            kinds[kind] += 1
            names[target] = None
            waiting.append(target)
    looked_at = {page: there for page, there in names.items() if there is not None}
    assert len(looked_at) > 100
    seen = {resolve(urlsplit(one).path).url_name for one in looked_at}
    assert {one for one in kinds_of_pages() - seen if not one.startswith(ONES_OWN)} == set()
    followed = {one for one in fragments if one[0] in looked_at}
    assert {one for one in followed if one[1] not in looked_at[one[0]]} == set()
    lines = {one for one in followed if re.fullmatch(r"L\d+", one[1])}
    assert {page.split("/")[1] for page, _ in lines} == {"kernels"}
    assert (f"/kernels/{seeded.refused.kernel.sha256}/", "L2") in lines


def kind_of(address: str) -> str:
    """The name of the address: many links to files or orders of one page leave others of its folder their room."""
    try:
        return str(resolve(urlsplit(address).path).url_name)
    except Resolver404:
        return ""


def special(seeded: Seeded) -> tuple[str, ...]:
    """Pages with whole evidence, which chance might leave out."""
    return (
        f"/kernels/{seeded.evidence.kernel.sha256}/",
        f"/kernels/{seeded.refused.kernel.sha256}/",
        f"/entries/{seeded.proposed.uid}/",
        f"/entries/{seeded.withdrawn.uid}/",
    )
