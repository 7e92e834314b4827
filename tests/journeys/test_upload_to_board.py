"""From a browser and a program to verdicts, boards and off them again: over HTTP, with every process of the product."""

import json
import re
import statistics
import time
from pathlib import Path
from typing import Any

import pytest
from author import Author
from installations import INSTALLATIONS
from kept_promises import HandedIn, broken_promises, wait_for_rest
from product_rows import Rows
from running_product import Product
from scripted_kernels import CASES, source
from site_visitor import File, Program, Visitor
from small_run import run_directory

pytestmark = [pytest.mark.broker, pytest.mark.timeout(600)]

GEMM, SMALL_GEMM = "gemm_n7168_k5120", "gemm_n128_k2048"
RECORDED = Path(__file__).parents[1] / "fixtures" / "h200"
WAIT_SECONDS = 120.0


def ratio_of(case: str) -> float:
    """The vendor's time over the kernel's in the middle pair, from the record itself."""
    pairs = json.loads((RECORDED / case / "measure_seen.json").read_bytes())["pairs"]
    counted = [one for one in pairs if not one["counted"]]
    ratios = [int(one["vendor"]["event_ns"]) / int(one["candidate"]["event_ns"]) for one in counted]
    return statistics.median(ratios)


def shown(page: str) -> str:
    """What a page says, without its tags."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def board(site: Visitor, kind: str, place: str) -> str:
    """The one row of the entry's board at its two turns."""
    answer = site.get(f"/boards/{kind}/{place}/?problem={GEMM}&T=2")
    assert answer.status == 200
    return shown(answer.text)


def wait_for(site: Visitor, kind: str, place: str, words: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while words not in (said := board(site, kind, place)):
        assert time.monotonic() < deadline, said
        time.sleep(0.2)


def judged(program: Program, uid: str) -> list[list[dict[str, Any]]]:
    """The turns of each trajectory, as soon as nothing of them is pending."""
    program.wait_for(uid, "imported")
    deadline = time.monotonic() + WAIT_SECONDS
    while (live := program.turns(uid))["is_pending"]:
        assert time.monotonic() < deadline, live
        time.sleep(0.2)
    return [one["turns"] for one in live["trajectories"]]


@pytest.mark.parametrize("name", INSTALLATIONS)
def test_an_upload_becomes_verdicts_and_rows_and_leaves_them_again(name: str) -> None:
    with INSTALLATIONS[name](pace_seconds=0.05) as running:
        anyone, ada = Visitor(running.address), Visitor(running.address)
        ada.sign_up("ada@example.org")
        program = Program(running.address, ada.token())
        uid = a_run_directory_is_read_and_judged(program)
        entry = program.submission(uid)["entry"]
        one_kernel_is_handed_in_by_hand_and_stays_private(ada, anyone, program)
        staff_accept_it_and_boards_show_it(running, anyone, entry)
        a_hold_takes_a_kernel_away_and_brings_it_back(running, anyone, judged(program, uid))
        what_is_withdrawn_leaves_a_tombstone(anyone, program, uid, entry)
        assert running.stop() == set()


def a_run_directory_is_read_and_judged(program: Program) -> str:
    cases = [["does_not_build", "gemm_mma_sync"], ["gemm_naive", "gemm_wgmma_tma"]]
    kernels = [[source(case, "of a run") for case in one] for one in cases]
    uid = program.submit(File("run.zip", run_directory(GEMM, kernels)))
    program.wait_for(uid, "understood")
    seen = program.submission(uid)["preview"]
    assert seen["formats"] == ["run_directory"]
    assert [one["model"] for one in seen["proposed"]] == ["openai/demo-model"]
    assert (seen["trajectories"], seen["turns"], seen["kernels"], seen["secrets"]) == (2, 4, 4, 0)
    program.confirm(uid, visibility="public")
    turns = judged(program, uid)
    verdicts = [[turn["verdict"] for turn in one] for one in turns]
    assert verdicts == [["build_failed", "accepted"], ["accepted", "accepted"]]
    run = program.get(f"/api/v1/runs/{turns[1][1]['run']}")
    stages = [(one["half"], one["stage"]) for one in run["reports"]]
    prepared = [("prepare", one) for one in ("policy", "build", "record", "scan")]
    assert stages == prepared + [("measure", one) for one in ("check", "probe", "time")]
    kept = program.bytes_at(f"/api/v1/kernels/{turns[1][1]['kernel']}/source")
    assert kept.decode() == kernels[1][1]
    return uid


def one_kernel_is_handed_in_by_hand_and_stays_private(
    ada: Visitor, anyone: Visitor, program: Program
) -> None:
    text = source("one_wrong_element", "by hand")
    preview = ada.post("/submissions/new/", {"text": text, "name": "mine.cu"})
    (uid,) = set(re.findall(r"/submissions/([0-9a-f-]{36})/", preview.text))
    program.wait_for(uid, "understood")
    form = {
        "model": "Ada",
        "problem": SMALL_GEMM,
        "target": "hopper",
        "prompts": "1",
        "trajectories": "1",
        "turns": "1",
        "licence": "CC-BY-4.0",
        "visibility": "private",
        "consent": "on",
    }
    page = f"/submissions/{uid}/"
    assert ada.post(f"{page}confirm/", form, page=page).status == 200
    ((turn,),) = judged(program, uid)
    assert turn["verdict"] == "wrong_result"
    entry = program.submission(uid)["entry"]
    for path in (f"/entries/{entry}/", f"/kernels/{turn['kernel']}/", f"/runs/{turn['run']}/"):
        assert (ada.get(path).status, anyone.get(path).status) == (200, 404), path
    stranger = Visitor(anyone.site)
    stranger.sign_up("eve@example.org")
    assert stranger.get(page).status == 404
    assert (
        Program(anyone.site, stranger.token()).post(f"/api/v1/submissions/{uid}/cancel", {}).status
        == 404
    )


def staff_accept_it_and_boards_show_it(running: Product, anyone: Visitor, entry: str) -> None:
    running.manage("model", "add", "demo-1", "Demo One")
    running.manage("model", "accept", entry, "demo-1")
    wait_for(anyone, "correctness", "hopper", "Demo One")
    said = board(anyone, "correctness", "hopper")
    assert "3 of 4 turns" in said
    assert "2 of 2 traj" in said
    # The first kernel alone has WGMMA in its code; of it the readings of the record say that it ran.
    assert "1 of 4 turns" in board(anyone, "instruction", "hopper")
    assert f"{ratio_of('gemm_wgmma_tma'):.4f}×" in board(anyone, "speed", "h200")
    assert "3 of 4" in shown(anyone.get(f"/entries/{entry}/").text)


def a_hold_takes_a_kernel_away_and_brings_it_back(
    running: Product, anyone: Visitor, turns: list[list[dict[str, Any]]]
) -> None:
    fastest = turns[1][1]
    place = (fastest["kernel"], GEMM, "hopper")
    running.manage("hold", *place, "--why", "It looks odd.", "--by", "staff")
    assert anyone.get(f"/kernels/{fastest['kernel']}/").status == 404
    wait_for(anyone, "speed", "h200", "1 open")
    said = board(anyone, "speed", "h200")
    assert f"{ratio_of('gemm_wgmma_tma'):.4f}×" not in said
    assert f"{ratio_of('gemm_mma_sync'):.4f}×" in said
    assert "2 of 4 turns 1 open" in board(anyone, "correctness", "hopper")
    running.manage("clear_hold", *place, "--note", "It is honest.", "--by", "staff")
    assert anyone.get(f"/kernels/{fastest['kernel']}/").status == 200
    wait_for(anyone, "speed", "h200", f"{ratio_of('gemm_wgmma_tma'):.4f}×")
    assert "3 of 4 turns" in board(anyone, "correctness", "hopper")


def what_is_withdrawn_leaves_a_tombstone(
    anyone: Visitor, program: Program, uid: str, entry: str
) -> None:
    answer = program.post(f"/api/v1/submissions/{uid}/withdraw", {"reason": "Wrong prompts."})
    assert answer.json()["state"] == "withdrawn"
    left = shown(anyone.get(f"/entries/{entry}/").text)
    assert "withdrawn" in left
    assert "Wrong prompts." in left
    assert "3 of 4" not in left
    for kind, place in (("correctness", "hopper"), ("instruction", "hopper"), ("speed", "h200")):
        assert "Demo One" not in board(anyone, kind, place)


def test_a_kernel_waits_with_a_sentence_while_its_queue_is_paused_and_goes_on_after() -> None:
    with INSTALLATIONS["sqlite_and_valkey"](pace_seconds=0.0) as running:
        author = Author.of(running)
        running.manage(
            "queue", "pause", "measure.h200", "--why", "We move the machine.", "--by", "staff"
        )
        case = CASES["illegal_address"]
        kernel = author.send(case)
        author.confirm(kernel, case, "private")
        rows = Rows(running.database_url)
        says = "SELECT count(*) FROM evaluation_run WHERE state = 'ready' AND waits_for LIKE '%We move the machine.%'"
        running.wait_until(lambda: bool(rows.one(says)), "the sentence")
        author.program.wait_for(kernel.submission, "imported")
        ((turn,),) = [
            one["turns"] for one in author.program.turns(kernel.submission)["trajectories"]
        ]
        assert "We move the machine." in turn["waits_for"]
        assert [one["stage"] for one in turn["stages"]] == ["policy", "build", "record", "scan"]
        running.manage("queue", "resume", "measure.h200", "--by", "staff")
        ((ended,),) = judged(author.program, kernel.submission)
        assert ended["verdict"] == "memory_fault"
        wait_for_rest(running, seconds=WAIT_SECONDS)
        assert broken_promises(running, author.handed_in) == []
        # What the tests of kills look at can be wrong: another verdict was earned, or another kernel handed in.
        other = HandedIn({kernel.sha256: CASES["device_trap"]})
        assert broken_promises(running, other) == [
            f"{kernel.sha256[:8]} is memory_fault, not runtime_error"
        ]
        assert len(broken_promises(running, HandedIn({"0" * 64: case}))) == 3
