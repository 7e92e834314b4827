"""A small site with something of everything that pages show, for tests of pages and for pictures of them."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import judged_rows as rows
from judged_bundle import judged
from judged_rows import AT, GEMM, PAPER_SUITE
from sample_run import SOURCE

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core.judgement import Judgement
from evaluation.core.records import StageReport
from evaluation.core.source.policy import review
from evaluation.core.verdict import Language
from evaluation.models import (
    Artifact,
    Attempt,
    Entry,
    Hold,
    Kernel,
    Model,
    PaperCell,
    Run,
    Trajectory,
    Turn,
)
from evaluation.services import store_report
from leaderboard.projection import rebuild

HOSTILE = "<script>alert(1)</script>\u202egnirts\u202c" + "x" * 100
TOLD = {"status": "PASSED", "correct": True, "speedup": 0.75, "device": "NVIDIA H100"}
GPU_STAGES = ("check", "probe", "time")


@dataclass(frozen=True, slots=True)
class Seeded:
    """Rows that tests ask about, by what is special about them."""

    whole: Entry
    evidence: Run
    refused: Run
    private: Entry
    embargoed: Entry
    withdrawn: Entry
    proposed: Entry
    held: Kernel
    published: Model


def seed(artifacts: Path, *, hostile: str = HOSTILE) -> Seeded:
    store = LocalArtifacts(artifacts)
    whole = _suite("Quartz 4", "pfp-pp-p", 0.5, harness="mini-swe-agent", harness_version="1.1")
    _suite("Feldspar L", "p-f--f--", 0.25, harness="MiniPTXAgent", pack="plain")
    rows.judged(["pppo----", *["--------"] * 5], model=_model("Opal 2"), ratio=0.125)
    rows.judged(["ppa-mn--", *["--s-----"] * 5], model=_model("Beryl"), ratio=0.375)
    rows.judged(["pp"] * 3, model=_model("Jasper mini"), ratio=0.75)
    person = _model("A. Mason", track="human")
    evidence = _evidence(store, person)
    refused = _refused(store, person)
    proposed = rows.judged(["p-"] * 5, proposed_model=hostile, harness=hostile[:80])
    private = rows.judged(["p"] * 5, model=_model("Onyx"), visibility="private")
    embargoed = rows.judged(
        ["p"] * 5,
        model=_model("Agate"),
        visibility="embargoed",
        embargo_until=AT + timedelta(days=3650),
    )
    withdrawn = rows.judged(
        ["p"] * 5,
        model=_model("Topaz"),
        withdrawn_at=AT,
        withdrawn_reason="A wrong file was handed in.",
    )
    held = rows.judged(["h-------", *["--------"] * 5], model=_model("Zircon"))
    published = _published()
    rebuild(at=AT)
    hold = Hold.objects.filter(state="open").get()
    assert held.model is not None
    return Seeded(
        whole=whole,
        evidence=evidence,
        refused=refused,
        private=private,
        embargoed=embargoed,
        withdrawn=withdrawn,
        proposed=proposed,
        held=hold.kernel,
        published=published,
    )


def _model(name: str, **columns: Any) -> Model:
    slug = name.lower().replace(" ", "-").replace(".", "")
    return rows.model(slug=slug, name=name, **columns)


def _suite(name: str, word: str, ratio: float, **columns: Any) -> Entry:
    """An entry with six trajectories at every problem of the suite, and what one H100 upload said of itself."""
    words = [word, word[::-1], "-" * len(word)] * 2
    entry = rows.entry(words, model=_model(name), **columns)
    for number, problem in enumerate(PAPER_SUITE):
        place = {"reported_device": "h100"}
        turns = rows.add_turns(
            entry, words, problem, place=place, ratio=round(ratio * (1 + 0.1 * number), 4)
        )
        rows.reported(turns[0], **TOLD)
    return entry


def _evidence(store: LocalArtifacts, author: Model) -> Run:
    """A single kernel with every report that the stages made of it, and all of their artifacts."""
    judgement, made = judged()
    for sha256, content in made.stored.items():
        store.put(sha256, content)
    return _run(store, author, SOURCE, judgement, judgement.reports)


def _refused(store: LocalArtifacts, author: Model) -> Run:
    """A kernel that the policy refused, with a hostile source."""
    source = b"// \xe2\x80\xae <script>alert(2)</script>\n#include <cublas_v2.h>\n"
    report = review(source, language=Language.CUDA)
    return _run(store, author, source, None, (report,))


def _run(
    store: LocalArtifacts,
    author: Model,
    source: bytes,
    judgement: Judgement | None,
    reports: tuple[StageReport, ...],
) -> Run:
    kept = store.put("source", source)
    artifact = Artifact.objects.create(
        sha256=kept.sha256, size=kept.size, kind="source", created_at=AT
    )
    kernel = Kernel.objects.create(
        sha256=kept.sha256, language="cuda", size=kept.size, artifact=artifact
    )
    digest = hashlib.sha256(source).hexdigest()
    entry = rows.entry(
        ["p"], model=author, single_kernel=True, digest=digest, authorship="attested"
    )
    place = Trajectory.objects.create(
        entry=entry, number=0, problem=GEMM, problem_version=1, target="hopper", ending="turns_used"
    )
    reply = store.put("reply", b"Here is the kernel. <b>Bold</b>\n" + source)
    Turn.objects.create(
        trajectory=place,
        number=0,
        kernel=kernel,
        reply=Artifact.objects.create(
            sha256=reply.sha256, size=reply.size, kind="reply", created_at=AT
        ),
        prompt_tokens=12_000,
        completion_tokens=3_400,
        cost_usd=0.25,
    )
    run = Run.objects.create(
        kernel=kernel,
        problem=GEMM,
        problem_version=1,
        target="hopper",
        judge="1",
        language="cuda",
        owner=entry.owner,
        created_at=AT,
        gpu_seconds=1.25,
        **_columns(judgement, reports),
    )
    halves = {
        "prepare": [one for one in reports if one.stage not in GPU_STAGES],
        "measure": [one for one in reports if one.stage in GPU_STAGES],
    }
    for half, theirs in halves.items():
        if theirs:
            _attempt(store, run, half, theirs)
    return run


def _columns(judgement: Judgement | None, reports: tuple[StageReport, ...]) -> dict[str, Any]:
    whole: dict[str, Any] = {"state": "finished", "device": "h200", "finished_at": AT}
    if judgement is None:
        reason = "only a correct kernel has a speed"
        return whole | {
            "verdict": str(reports[-1].verdict),
            "correct": "no",
            "speed_reason": reason,
        }
    speed = judgement.speed
    assert speed is not None
    return whole | {
        "verdict": "accepted",
        "correct": "yes",
        "family": "yes",
        "matrix_path": "yes",
        "coverage": 1.0,
        "executed_share": 1.0,
        "ratio": speed.ratio,
        "ratio_low": speed.low,
        "ratio_high": speed.high,
        "candidate_ns": speed.candidate_ns,
        "vendor_ns": speed.vendor_ns,
    }


def _attempt(store: LocalArtifacts, run: Run, half: str, reports: list[StageReport]) -> None:
    attempt = Attempt.objects.create(
        run=run,
        half=half,
        number=1,
        queue="prepare" if half == "prepare" else "measure.h200",
        key_digest=hashlib.sha256(f"{run.uid}{half}".encode()).hexdigest(),
        sent_at=AT,
        state="done",
        worker="w1",
        started_at=AT,
        lease_until=AT,
        ended_at=AT,
    )
    for place, report in enumerate(reports):
        store_report(store, attempt, place, report, at=AT)


def _published() -> Model:
    """Two models of a publication; the second was never right."""
    first, second = _model("Paper Model A"), _model("Paper Model B")
    for model, hits in ((first, 91), (second, 0)):
        for number, problem in enumerate(PAPER_SUITE):
            whole: dict[str, Any] = {
                "publication": "PTXBench paper",
                "model": model,
                "target": "hopper",
                "device": "h100",
                "problem": problem,
                "experiment": "main",
                "main": True,
                "turn_limit": 8,
            }
            correct = max(hits - 10 * number, 0)
            rate = {"numerator": correct, "denominator": 96}
            PaperCell.objects.create(**whole, metric="correct_at", **rate)
            PaperCell.objects.create(
                **whole, metric="target_correct_at", evidence="ptx_text", **rate
            )
            PaperCell.objects.create(
                **whole, metric="best_speedup", value=0.5 + number / 8 if hits else None
            )
    return first
