"""From a kernel to what its author had before it: the last one that the viewer may see, and nothing of others."""

import judged_rows as rows
import pytest
from django.test import Client
from judged_rows import AT
from page_reading import found_in, strictly
from site_fixtures import signed_in

from evaluation.models import Entry, Turn
from leaderboard.projection import rebuild

pytestmark = pytest.mark.django_db


def kernels_of(entry: Entry) -> list[str]:
    """The kernels of an entry's first trajectory, empty for a turn without one."""
    turns = Turn.objects.filter(trajectory__entry=entry, trajectory__number=0).order_by("number")
    return [one.kernel.sha256 if one.kernel else "" for one in turns]


def diffs_on(client: Client, kernel: str) -> list[str]:
    page = client.get(f"/kernels/{kernel}/").content.decode()
    strictly(page)
    return [one for one in found_in(page).links if one.endswith("#diff")]


def diff(old: str, new: str) -> str:
    return f"/compare/?kernel={old}&kernel={new}#diff"


def test_a_kernel_leads_to_what_differs_from_the_turn_before(client: Client) -> None:
    entry = rows.judged(["p-n-", *["----"] * 4])
    rebuild(at=AT)
    first, second, _, fourth = kernels_of(entry)
    assert diffs_on(client, first) == []
    assert diffs_on(client, second) == [diff(first, second)]
    assert diffs_on(client, fourth) == [diff(second, fourth)]
    assert client.get(diff(first, second)).status_code == 200


@pytest.mark.parametrize("hidden", ["h", "o"], ids=["held", "waiting"])
def test_a_kernel_before_that_others_may_not_see_is_passed_over_for_them_alone(
    client: Client, hidden: str
) -> None:
    entry = rows.judged([f"p{hidden}p", *["---"] * 4])
    rebuild(at=AT)
    first, second, third = kernels_of(entry)
    assert diffs_on(client, third) == [diff(first, third)]
    assert diffs_on(signed_in(), third) == [diff(first, third)]
    assert diffs_on(signed_in(staff=True), third) == [diff(second, third)]
    assert diffs_on(signed_in(owns_all=True), third) == [diff(second, third)]


def test_a_private_entry_with_the_same_kernel_tells_others_nothing_of_what_was_before(
    client: Client,
) -> None:
    public = rows.judged(["p", *["-"] * 4])
    private = rows.judged(["pp", *["--"] * 4], visibility="private")
    shared = Turn.objects.get(trajectory__entry=public, trajectory__number=0).kernel
    Turn.objects.filter(trajectory__entry=private, trajectory__number=0, number=1).update(
        kernel=shared
    )
    rebuild(at=AT)
    assert shared is not None
    assert diffs_on(client, shared.sha256) == []
    first, _ = kernels_of(private)
    assert diffs_on(signed_in(staff=True), shared.sha256) == [diff(first, shared.sha256)]


def test_the_same_kernel_again_has_no_difference_to_show(client: Client) -> None:
    entry = rows.judged(["pp", *["--"] * 4])
    turns = Turn.objects.filter(trajectory__entry=entry, trajectory__number=0).order_by("number")
    turns.filter(number=1).update(kernel=turns[0].kernel)
    rebuild(at=AT)
    assert diffs_on(client, kernels_of(entry)[0]) == []
