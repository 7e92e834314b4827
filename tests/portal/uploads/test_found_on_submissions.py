"""The page of a submission, once judged, has each finding apart; once confirmed, each fact once."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import Settings
from submission_steps import (
    GEMM,
    confirmed,
    imported,
    own_folder,
    own_json,
    person,
    read,
    upload,
)

from evaluation.core.entry_words import Visibility
from evaluation.core.verdict import Target
from evaluation.models import Run
from portal.uploads.choices import Choices
from portal.uploads.confirmed_facts import Fact, confirmed_facts
from portal.uploads.importers.records import Layout, Proposed
from portal.uploads.models import Submission
from portal.uploads.preview import Preview, Reading
from portal.uploads.status import line_of
from portal.uploads.submission_words import SubmissionState


def text_of(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    bare = re.sub(r"<[^>]*>", " ", answer.content.decode()).replace("\xa0", " ")
    return " ".join(bare.split())


@pytest.fixture
def page(client: Client, settings: Settings, tmp_path: Path, db: None) -> str:
    """The address of a submission of one kernel that waits to be judged."""
    own_folder(settings, tmp_path)
    ada = person()
    client.force_login(ada)
    return f"/submissions/{imported(confirmed(read(upload(ada)))).uid}/"


def judged(**columns: Any) -> Run:
    whole = {"state": "finished", "device": "h200", "finished_at": timezone.now()}
    Run.objects.update(**whole | columns)
    return Run.objects.get()


def test_a_correct_turn_has_its_three_findings_apart_with_ways_to_run_and_kernel(
    client: Client, page: str
) -> None:
    run = judged(
        verdict="accepted",
        correct="yes",
        family="yes",
        matrix_path="no",
        ratio=0.5,
        ratio_low=0.25,
        ratio_high=0.75,
        candidate_ns=400,
        vendor_ns=200,
    )
    found = (
        "1 accepted Correct: correct · Instruction: executed , matrix path did not do the work"
        " · Ratio on H200: 0.5000× (0.2500× to 0.7500×) kernel · run Nothing: it is correct."
    )
    assert found in text_of(client, page)
    html = client.get(page).content.decode()
    assert f'href="/runs/{run.uid}/"' in html
    assert f'href="/kernels/{run.kernel.sha256}/"' in html
    assert 'href="/verdicts/#accepted"' in html


def test_a_wrong_turn_has_no_ratio_and_says_so(client: Client, page: str) -> None:
    judged(verdict="wrong_result", correct="no", speed_reason="only a correct kernel has a speed")
    found = (
        "1 wrong result Correct: not correct · Instruction: not known , matrix path not known"
        " · Ratio on H200: none kernel · run Its page names the tensor"
    )
    assert found in text_of(client, page)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("waiting", "1 waits for a worker, place 1"),
        ("preparing", "1 being prepared"),
        ("ready", "1 prepared, waits for a GPU, place 1"),
        ("measuring", "1 being measured"),
    ],
)
def test_how_far_a_run_is_stands_in_words(client: Client, page: str, state: str, said: str) -> None:
    kept = Run.objects.get().kernel.artifact
    parts = dict.fromkeys(("plan", "cubin", "facts"), kept if state in "ready measuring" else None)
    Run.objects.update(state=state, device="" if state == "waiting" else "h200", **parts)
    assert said in text_of(client, page)


def test_after_confirming_no_fact_stands_twice(client: Client, page: str) -> None:
    named = re.findall(r"<dt>([^<]*)</dt>", client.get(page).content.decode())
    once = {one.removesuffix("s").removeprefix("Declared ").casefold() for one in named}
    assert {"model", "harnes", "problem", "target", "device", "layout"} <= once
    assert len(once) == len(named)
    shown = text_of(client, page)
    assert "What was found in the file" in shown
    assert "not said" not in shown
    assert "What was understood" not in shown


CONFIRMED = Choices(
    model="Demo 2",
    harness="own",
    licence="MIT",
    visibility=Visibility.PRIVATE,
    prompts=1,
    trajectories=4,
    turns=8,
)


def said(**columns: Any) -> Preview:
    return replace(Reading().preview(), **columns)


def facts(confirmed: Choices, preview: Preview) -> dict[str, tuple[str, str]]:
    return {one.name: (one.value, one.file_says) for one in confirmed_facts(confirmed, preview)}


@pytest.mark.django_db
def test_what_the_file_says_stands_beside_only_where_it_is_another_thing() -> None:
    file = said(
        proposed=(Proposed("Demo 1", "own", "2", "high"),),
        problems=(GEMM,),
        targets=(Target.HOPPER,),
        devices=("h100",),
        layouts=(Layout(turns=4),),
    )
    assert facts(CONFIRMED, file) == {
        "Model": ("Demo 2", "Demo 1"),
        "Harness": ("own", "own 2, effort high"),
        "Problem": (GEMM, ""),
        "Target": ("Hopper", ""),
        "Device": ("H100", ""),
        "Layout": ("1 prompt × 4 trajectories × 8 turns", "4 turns"),
    }
    same = replace(
        CONFIRMED, model="Demo 1", harness_version="2", reasoning_effort="high", problem=GEMM
    )
    file = replace(file, layouts=(Layout(1, 4, 8),))
    assert all(not one for _, one in facts(same, file).values())


@pytest.mark.django_db
def test_what_was_chosen_for_the_rest_stands_beside_what_the_file_names() -> None:
    chosen = replace(CONFIRMED, problem="mha_bwd_d128", target=Target.BLACKWELL, device="b200")
    file = said(problems=("theirs",), targets=(Target.HOPPER,), devices=("h100",))
    found = facts(chosen, file)
    assert found["Problem"] == ("mha_bwd_d128", "theirs")
    assert found["Target"] == ("Blackwell", "Hopper")
    assert found["Device"] == ("B200", "H100")


@pytest.mark.django_db
def test_nothing_said_and_nothing_chosen_is_told_plainly() -> None:
    found = confirmed_facts(replace(CONFIRMED, harness=""), said())
    assert [one for one in found if one.name in {"Harness", "Problem", "Device"}] == [
        Fact("Harness", "none"),
        Fact("Problem", "none"),
        Fact("Device", "any of the target"),
    ]


@pytest.mark.django_db
def test_what_a_file_calls_itself_is_cut_and_escaped_beside_what_was_confirmed(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    own_folder(settings, tmp_path)
    ada = person()
    client.force_login(ada)
    submission = read(upload(ada, own_json(model="<b>" + "x" * 150), "one.json"))
    html = client.get(f"/submissions/{imported(confirmed(submission, model='Mine')).uid}/")
    shown = html.content.decode()
    assert "<dt>Model</dt><dd>Mine <span" in shown
    assert "the file says: <bdi>&lt;b&gt;xxx" in shown
    assert "<b>x" not in shown


@pytest.mark.parametrize(
    ("columns", "trajectories"),
    [
        ({"state": "received"}, "not counted yet"),
        ({"state": "refused"}, "none"),
        (
            {"state": "imported", "total": 1, "done": 1, "format": "single_kernel"},
            "a single kernel",
        ),
        ({"state": "understood", "total": 9, "done": 9}, "9 trajectories, none imported"),
        ({"state": "importing", "total": 9, "done": 4}, "9 trajectories, 4 imported"),
        ({"state": "imported", "total": 1, "done": 1}, "1 trajectory, all imported"),
    ],
)
def test_a_line_of_the_list_says_how_many_trajectories_there_are(
    columns: dict[str, Any], trajectories: str
) -> None:
    one = Submission(file_name="k.cu", size=3, created_at=timezone.now(), **columns)
    assert line_of(one).trajectories == trajectories


@pytest.mark.parametrize("state", SubmissionState)
def test_every_state_has_words_of_its_own(state: SubmissionState) -> None:
    one = Submission(file_name="k.cu", size=3, created_at=timezone.now(), state=state)
    others = {
        line_of(Submission(state=other, size=3, created_at=timezone.now())).said_state
        for other in SubmissionState
        if other is not state
    }
    assert line_of(one).said_state not in others


def test_the_list_has_a_size_with_its_unit_and_no_empty_cell(client: Client, page: str) -> None:
    assert page
    Submission.objects.update(size=2048, received=2048)
    answer = client.get("/submissions/").content.decode()
    assert "<td></td>" not in answer
    row = text_of(client, "/submissions/").split("Handed in")[-1]
    assert "imported a single kernel 2 KiB" in row
