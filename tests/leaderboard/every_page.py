"""Every kind of page of a seeded site by a short name, for what looks at all of them."""

from our_addresses import our_addresses
from seeded_site import Seeded

from evaluation.models import Trajectory

# The same whatever rows there are.
PAGES = {
    "home": "/",
    "boards": "/boards/",
    "instruction-suite": "/boards/instruction/hopper/",
    "correctness-empty": "/boards/correctness/blackwell/",
    "speed-suite": "/boards/speed/h200/",
    "instruction-gemm": "/boards/instruction/hopper/?problem=gemm_n7168_k5120",
    "correctness-paper": "/boards/correctness/hopper/?problem=gemm_n7168_k5120&provenance=paper",
    "speed-gemm": "/boards/speed/h200/?problem=gemm_n7168_k5120",
    "speed-reported": "/boards/speed/h100/?problem=gemm_n7168_k5120&provenance=reported",
    "problems": "/problems/",
    "problem": "/problems/mha_bwd_d128_causal/",
    "models": "/models/",
    "method": "/method/",
    "verdicts": "/verdicts/",
    "rules": "/rules/",
    "published": "/published/",
    "upload-format": "/upload-format/",
    "program-api": "/programs/",
    "status": "/status/",
    "gap": "/gap/",
    "changelog": "/changelog/",
    "changes": "/changes/",
    "data": "/data/",
    "search": "/search/",
    "compare-nothing": "/compare/",
    "sign-in": "/accounts/login/",
    "sign-up": "/accounts/signup/",
    "password-forgotten": "/accounts/password/reset/",
}
# What there is no page for, and what is answered instead.
REFUSALS = {
    "refused": ("/boards/speed/h200/?p=much", 400),
    "missing": ("/entries/nothing/", 404),
    "device-missing": ("/boards/speed/a100/", 404),
    "compare-wrong": ("/compare/?model=quarts", 404),
}
# Names of addresses that answer with something else than a page; so do those of exports and of programs.
NO_PAGE = {
    *("problem_toml", "trajectory_document", "kernel_source", "run_bundle", "run_artifact"),
    *("run_log", "badge", "feed", "healthz", "data_manifest", "data_checksums", "data_file"),
    *("submission_live", "submission_confirm", "submission_cancel", "submission_withdraw"),
    *("token_revoke", "boards_of_kind"),
}


def kinds_of_pages() -> set[str]:
    """Names of addresses that answer with a page."""
    names = {str(one.name) for one in our_addresses()}
    return {
        one for one in names if not one.startswith("api_") and not one.endswith("_export")
    } - NO_PAGE


def pages_of_rows(seeded: Seeded) -> dict[str, str]:
    """Pages of models, entries and their evidence, as everybody sees them."""
    first = Trajectory.objects.filter(entry=seeded.whole).earliest("pk")
    single = Trajectory.objects.filter(turns__kernel=seeded.evidence.kernel).get()
    kernels = (seeded.evidence.kernel.sha256, seeded.refused.kernel.sha256)
    assert seeded.whole.model is not None
    return {
        "search-found": "/search/?q=quartz",
        "compare-models": "/compare/?model=quartz-4&model=feldspar-l&model=opal-2",
        "compare-entries": f"/compare/?entry={seeded.whole.uid}&entry={single.entry.uid}",
        "compare-kernels": "/compare/?" + "&".join(f"kernel={one}" for one in kernels),
        "model": f"/models/{seeded.whole.model.slug}/",
        "model-cells": f"/models/{seeded.whole.model.slug}/cells/",
        "model-entries": f"/models/{seeded.whole.model.slug}/entries/",
        "model-paper": f"/models/{seeded.published.slug}/",
        "entry": f"/entries/{seeded.whole.uid}/",
        "entry-cells": f"/entries/{seeded.whole.uid}/cells/",
        "entry-hostile": f"/entries/{seeded.proposed.uid}/",
        "entry-withdrawn": f"/entries/{seeded.withdrawn.uid}/",
        "trajectory": f"/trajectories/{first.uid}/",
        "trajectory-single": f"/trajectories/{single.uid}/",
        "kernel": f"/kernels/{kernels[0]}/",
        "kernel-refused": f"/kernels/{kernels[1]}/",
        "run": f"/runs/{seeded.evidence.uid}/",
        "run-refused": f"/runs/{seeded.refused.uid}/",
    }
