"""Pages of entries, trajectories, kernels and runs: what stands on them, and who may see which."""

import io
import zipfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import evaluation_rows
import judged_rows as rows
import pytest
from django.conf import settings
from django.http import Http404
from django.template.loader import render_to_string
from django.test import Client, RequestFactory
from judged_rows import AT, OWNER
from page_reading import found_in, strictly, text_of
from pytest_django import DjangoAssertNumQueries
from sample_run import SOURCE
from seeded_site import HOSTILE, Seeded
from site_fixtures import artifacts, seeded, signed_in

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.adapters.catalogue import packaged
from evaluation.core.bundle.bundle import unpack
from evaluation.models import Entry, Run, Trajectory, Turn
from evaluation.selectors import ANYONE, Viewer, entry_page
from evaluation.selectors.kernels import RUNS_SHOWN
from leaderboard.projection import rebuild
from leaderboard.views import entry_views
from leaderboard.views.site import Site
from portal.accounts.models import User

__all__ = ["artifacts", "seeded"]  # fixtures
pytestmark = pytest.mark.django_db


def words(answer: object) -> str:
    content: bytes = answer.content  # type: ignore[attr-defined]  # of the test client
    return text_of(content.decode())


def pages_of(entry: Entry) -> list[str]:
    """The entry and everything below it."""
    places = Trajectory.objects.filter(entry=entry)
    turns = Turn.objects.filter(trajectory__in=places, kernel__isnull=False)
    runs = Run.objects.filter(kernel__turns__in=turns)
    return [
        f"/entries/{entry.uid}/",
        *(f"/trajectories/{one.uid}/" for one in places[:1]),
        *(f"/kernels/{one.kernel.sha256}/" for one in turns[:1] if one.kernel),
        *(f"/runs/{one.uid}/" for one in runs[:1]),
    ]


@pytest.mark.parametrize("which", ["private", "embargoed"])
def test_what_is_not_public_is_there_for_its_owner_and_staff_alone(
    client: Client, seeded: Seeded, which: str
) -> None:
    entry: Entry = getattr(seeded, which)
    pages = pages_of(entry)
    assert len(pages) == 4
    stranger, staff = signed_in(), signed_in(staff=True)
    assert [client.get(one).status_code for one in pages] == [404] * 4
    assert [stranger.get(one).status_code for one in pages] == [404] * 4
    assert [staff.get(one).status_code for one in pages] == [200] * 4
    owner = signed_in(owns_all=True)
    assert [owner.get(one).status_code for one in pages] == [200] * 4
    notice = {"private": "Private: you see it", "embargoed": "Under embargo until 2036-11-27"}
    assert notice[which] in words(owner.get(pages[0]))
    assert "private" in owner.get(pages[0])["Cache-Control"]


def test_who_owns_together_with_others_sees_what_the_others_own(seeded: Seeded) -> None:
    def page(*owners: str) -> int:
        site = Site(
            viewer_of=lambda _: Viewer(frozenset(owners), staff=False),
            artifacts=lambda: LocalArtifacts(Path(settings.HOME) / "artifacts"),
            catalogue=packaged(),
            root=settings.REPOSITORY,
        )
        request = RequestFactory().get("/")
        request.user = User(username="someone")
        return entry_views.entry(request, seeded.private.uid, site=site).status_code

    assert page("somebody", OWNER) == 200
    with pytest.raises(Http404):
        page("somebody")


def test_a_withdrawn_entry_leaves_its_head_and_its_reason(client: Client, seeded: Seeded) -> None:
    entry, trajectory, kernel, run = pages_of(seeded.withdrawn)
    said = words(client.get(entry))
    assert "withdrawn on 2026-11-30 : A wrong file was handed in." in said
    assert "Trajectories" not in said
    assert [client.get(one).status_code for one in (trajectory, kernel, run)] == [404] * 3
    assert "Trajectories" in words(signed_in(owns_all=True).get(entry))


def test_a_held_kernel_is_under_review_for_its_owner_and_not_there_for_others(
    client: Client, seeded: Seeded
) -> None:
    address = f"/kernels/{seeded.held.sha256}/"
    run = Run.objects.get(kernel=seeded.held)
    source = f"{address}source"
    assert [client.get(one).status_code for one in (address, source)] == [404, 404]
    assert client.get(f"/runs/{run.uid}/").status_code == 404
    assert signed_in().get(address).status_code == 404
    said = words(signed_in(owns_all=True).get(address))
    assert "Under review at gemm_n7168_k5120 on Hopper" in said
    assert "It reads the clock." in said
    assert "Under review" in words(signed_in(staff=True).get(address))


def test_a_trajectory_with_a_held_turn_looks_to_others_like_one_that_waits(client: Client) -> None:
    held = rows.judged(["h---", *["----"] * 4], proposed_model="same")
    waits = rows.judged(["o---", *["----"] * 4], proposed_model="same")
    rebuild(at=AT)
    said = [words(client.get(pages_of(one)[1])) for one in (held, waits)]
    assert said[0] == said[1]
    assert "no verdict yet" in said[0]
    assert "under review" not in said[0].lower()
    assert "under review" in words(signed_in(owns_all=True).get(pages_of(held)[1])).lower()


def test_a_kernel_shows_the_evidence_of_each_stage_in_words(client: Client, seeded: Seeded) -> None:
    answer = client.get(f"/kernels/{seeded.evidence.kernel.sha256}/")
    page = answer.content.decode()
    strictly(page)
    said = text_of(page)
    for one in (
        "Correctness correct Target instruction executed Matrix path did the work",
        "coverage at least 100.0 %",
        "0.7800× 95 % interval 0.7753× to 0.7847× , 1.000 ms a call against the vendor’s 780.0 µs",
        "HGMMA in 1 of 1 launched functions",
        "vendor time 780,000 ns",
        "sm clock 1,980 MHz",
        "launch 'k': grid 448 x 64 x 1, block 128 x 1 x 1",  # the plan in words
        "HGMMA.64x16x16.F32.BF16",  # the row of machine code
        "opcodes: LDC 4, EXIT 1, HGMMA 1",
        "Build log The compilers printed nothing.",
        "Clocks and temperature",
    ):
        assert one in said, one
    assert '<span class="line" id="L3"><a href="#L3"' in page


def test_what_a_run_left_can_be_saved_and_its_bundle_verifies(
    client: Client, seeded: Seeded
) -> None:
    base = f"/runs/{seeded.evidence.uid}/"
    links = [
        one for one in found_in(client.get(base).content.decode()).links if one.startswith(base)
    ]
    assert f"{base}artifacts/plan" in links
    for one in links:
        answer = client.get(one)
        assert answer.status_code == 200, one
        assert answer["Content-Disposition"].startswith("attachment; "), one
        assert answer["X-Content-Type-Options"] == "nosniff"
    bundle = unpack(client.get(f"{base}bundle.zip").content, where="bundle")
    assert bundle.source == SOURCE
    assert bundle.judgement.verdict == "accepted"
    assert bundle.judgement.speed is not None
    assert bundle.judgement.speed.ratio == 0.78
    names = zipfile.ZipFile(io.BytesIO(client.get(f"{base}bundle.zip").content)).namelist()
    assert {"judgement.json", "kernel.cu", "plan.json", "measure.json"} <= set(names)
    source = client.get(f"/kernels/{seeded.evidence.kernel.sha256}/source")
    assert source.content == SOURCE
    assert source["Content-Type"] == "application/octet-stream"


def test_a_run_keeps_its_bundle_however_many_there_were_after_it(
    client: Client, seeded: Seeded
) -> None:
    run = seeded.evidence
    same = {"kernel": run.kernel, "problem": run.problem, "target": run.target}
    for number in range(RUNS_SHOWN + 1):
        evaluation_rows.finished_run(
            **same, owner=run.owner, created_at=run.created_at + timedelta(seconds=number + 1)
        )
    page = client.get(f"/kernels/{run.kernel.sha256}/").content.decode()
    assert f"/runs/{run.uid}/" not in page
    answer = client.get(f"/runs/{run.uid}/bundle.zip")
    assert answer.status_code == 200
    assert unpack(answer.content, where="bundle").judgement.verdict == "accepted"


@pytest.mark.parametrize(
    "path", ["artifacts/nothing", "artifacts/manifest.json", "logs/" + "0" * 64]
)
def test_no_other_bytes_of_the_store_can_be_had_through_a_run(
    client: Client, seeded: Seeded, path: str
) -> None:
    assert client.get(f"/runs/{seeded.evidence.uid}/{path}").status_code == 404


def test_bytes_that_are_gone_are_said_to_be_gone(
    client: Client, seeded: Seeded, artifacts: Path
) -> None:
    for kept in artifacts.rglob("*"):
        if kept.is_file():
            kept.unlink()
    kernel = f"/kernels/{seeded.evidence.kernel.sha256}/"
    assert "The bytes of this kernel are not kept here." in words(client.get(kernel))
    assert "It is not kept here." in words(client.get(kernel))
    for one in (f"{kernel}source", f"/runs/{seeded.evidence.uid}/bundle.zip"):
        answer = client.get(one)
        assert answer.status_code == 404
        assert "not kept here" in words(answer)


def test_a_refused_kernel_names_rule_line_and_what_to_do_and_its_source_stays_text(
    client: Client, seeded: Seeded
) -> None:
    page = client.get(f"/kernels/{seeded.refused.kernel.sha256}/").content.decode()
    strictly(page)
    assert "policy rejected" in text_of(page)
    assert 'href="#L2"' in page
    assert "/verdicts/#include-library" in found_in(page).links
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "// ⟨U+202E⟩ &lt;script&gt;alert(2)&lt;/script&gt;" in page


def test_signals_are_for_the_owner_and_staff_alone(client: Client, seeded: Seeded) -> None:
    address = f"/kernels/{seeded.refused.kernel.sha256}/"
    run = f"/runs/{seeded.refused.uid}/"
    said = "Characters that do not show, or that turn the direction of text"
    for page in (address, run):
        assert "invisible_character" not in words(client.get(page))
        assert said not in words(signed_in().get(page))
        assert said in words(signed_in(staff=True).get(page))
    owner = signed_in(owns_all=True)
    assert said in words(owner.get(address))
    assert said in words(owner.get(run))


def test_names_that_somebody_gave_are_cut_escaped_and_turn_no_text(
    client: Client, seeded: Seeded
) -> None:
    Entry.objects.filter(pk=seeded.proposed.pk).update(harness_version="\u2066" * 40)
    for address in pages_of(seeded.proposed):
        page = client.get(address).content.decode()
        strictly(page)
        assert "<script>alert" not in page
        assert not {"\u202e", "\u2066", "\u202c"} & set(page)
        assert len(page) < 60_000
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt;⟨U+202E⟩"
        in client.get(f"/entries/{seeded.proposed.uid}/").content.decode()
    )


def test_a_name_of_ten_thousand_characters_makes_no_long_page(
    client: Client, seeded: Seeded
) -> None:
    head = entry_page(ANYONE, seeded.proposed.uid).head
    long = replace(head, proposed_model=HOSTILE + "y" * 10_000, pack="\u202e" * 10_000)
    page = render_to_string("leaderboard/_entry_head.html", {"head": long})
    assert "y" * 120 not in page
    assert "\u202e" not in page
    assert len(page) < 4000


def test_a_trajectory_shows_our_finding_and_the_uploads_word_apart(
    client: Client, seeded: Seeded
) -> None:
    place = Trajectory.objects.filter(entry=seeded.whole).earliest("pk")
    page = client.get(f"/trajectories/{place.uid}/").content.decode()
    first = text_of(page[page.index('id="turn-1"') : page.index('id="turn-2"')])
    ours, theirs = first.split("What the upload reported")
    assert (
        "Speed, H200 0.5000× 95 % interval 0.4375× to 0.5625× , 400 ns a call against the vendor’s 200 ns"
        in ours
    )
    assert "0.7500" not in ours
    assert "Ratio 0.7500× on NVIDIA H100" in theirs
    assert "not checked, and never ranked" in theirs
    assert "8 of 8 declared turns were taken" in text_of(page)
    assert 'aria-label="Turns"' in page


def test_the_reply_is_folded_and_escaped(client: Client, seeded: Seeded) -> None:
    place = Trajectory.objects.get(turns__kernel=seeded.evidence.kernel)
    page = client.get(f"/trajectories/{place.uid}/").content.decode()
    assert "<summary>The reply</summary>" in page
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page
    assert "Tokens written 3,400 Cost 0.2500 USD" in text_of(page)


def test_one_turn_needs_no_list_and_tokens_without_a_result_are_no_result(
    client: Client, seeded: Seeded
) -> None:
    place = Trajectory.objects.get(turns__kernel=seeded.evidence.kernel)
    page = client.get(f"/trajectories/{place.uid}/").content.decode()
    assert "1 of 1 declared turn was taken" in text_of(page)
    assert 'aria-label="Turns"' not in page
    assert "What the upload reported No result. Tokens read 12,000" in text_of(page)


def test_a_proposed_model_shows_on_its_entry_and_ranks_nowhere(
    client: Client, seeded: Seeded
) -> None:
    said = words(client.get(f"/entries/{seeded.proposed.uid}/"))
    assert "proposed, not accepted yet: shown here and ranked nowhere" in said
    assert "Correctness, verified by us" in said
    assert "not accepted yet" not in words(
        client.get("/boards/correctness/hopper/?problem=gemm_n7168_k5120")
    )


def test_the_page_of_a_model_says_how_often_its_owner_tried(client: Client) -> None:
    model = rows.model(name="Quartz", slug="quartz")
    rows.judged(["p"] * 5, model=model)
    rows.judged(["-"] * 5, model=model, visibility="private")
    rebuild(at=AT)
    said = words(client.get("/models/quartz/"))
    assert "2 entries were handed in under this name by 1 owner; 1 of them is private" in said
    assert said.count("1 × 5 × 1") == 1
    rows.model(name="Secret", slug="secret", accepted_at=None)
    assert client.get("/models/secret/").status_code == 404


@pytest.mark.parametrize(
    ("address", "most"),
    [("entry", 14), ("trajectory", 9), ("kernel", 12), ("run", 9), ("model", 11), ("home", 6)],
)
def test_a_page_of_evidence_costs_few_queries_whatever_is_on_it(
    client: Client,
    seeded: Seeded,
    address: str,
    most: int,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    assert seeded.whole.model is not None
    place = Trajectory.objects.filter(entry=seeded.whole).earliest("pk")
    addresses = {
        "entry": f"/entries/{seeded.whole.uid}/",
        "trajectory": f"/trajectories/{place.uid}/",
        "kernel": f"/kernels/{seeded.evidence.kernel.sha256}/",
        "run": f"/runs/{seeded.evidence.uid}/",
        "model": f"/models/{seeded.whole.model.slug}/",
        "home": "/",
    }
    with django_assert_max_num_queries(most):
        assert client.get(addresses[address]).status_code == 200


@pytest.mark.parametrize(
    "address",
    [
        "/entries/6f9619ff-8b86-4d11-b42d-00c04fc964ff/",
        "/trajectories/6f9619ff-8b86-4d11-b42d-00c04fc964ff/",
        "/runs/6f9619ff-8b86-4d11-b42d-00c04fc964ff/",
        f"/kernels/{'0' * 64}/",
        "/problems/nothing/",
        "/models/nothing/",
    ],
)
def test_what_is_not_there_is_not_there(client: Client, address: str) -> None:
    assert client.get(address).status_code == 404
    assert client.post(address).status_code == 405


def test_what_owners_and_staff_alone_see_is_well_formed_too(seeded: Seeded) -> None:
    place = Trajectory.objects.get(turns__kernel=seeded.held)
    waiting = Run.objects.filter(state="waiting").earliest("pk")
    for visitor in (signed_in(staff=True), signed_in(owns_all=True)):
        for address in (
            "/",
            "/status/",
            f"/kernels/{seeded.held.sha256}/",
            f"/kernels/{seeded.refused.kernel.sha256}/",
            f"/trajectories/{place.uid}/",
            f"/entries/{seeded.embargoed.uid}/",
            f"/entries/{seeded.withdrawn.uid}/",
            f"/runs/{waiting.uid}/",
            "/boards/speed/h200/",
        ):
            answer = visitor.get(address)
            assert answer.status_code == 200, address
            strictly(answer.content.decode())
            assert "public" not in answer["Cache-Control"]
