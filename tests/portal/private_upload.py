"""One private upload with everything that an address of the site may name."""

import hashlib
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from evaluation_rows import done_attempt, stage_report
from our_addresses import our_addresses
from submission_steps import GEMM, KERNEL, confirmed, imported, own_json, person, read, upload

from evaluation.adapters.artifacts import LocalArtifacts
from evaluation.core import wire
from evaluation.core.records import ArtifactRef, StageReport
from evaluation.core.verdict import Stage
from evaluation.models import Run, Trajectory
from evaluation.services import store_artifact
from portal.accounts.models import User
from portal.api.models import Scope, Token

LOG = b"a log"
# Which of the uids an address has; those of submissions are not named.
_UID_OF = {
    **dict.fromkeys(("entry", "entry_export", "entry_turns_export", "badge"), "entry"),
    **dict.fromkeys(("entry_cells", "entry_cells_export"), "entry"),
    **dict.fromkeys(("entry_over_turns_export", "entry_timed_turns_export"), "entry"),
    **dict.fromkeys(("run_times_export", "run_clocks_export", "run_opcodes_export"), "run"),
    **dict.fromkeys(
        ("trajectory", "trajectory_export", "trajectory_document", "api_document"), "trajectory"
    ),
    **dict.fromkeys(("run", "run_bundle", "run_artifact", "run_log", "api_run", "api_log"), "run"),
    "token_revoke": "token",
}
_OF_ADDRESS = {
    "problem": {"name": GEMM},
    "problem_toml": {"name": GEMM},
    **{
        f"problem_{of}_export": {"name": GEMM}
        for of in ("arguments", "devices", "boards", "leaders", "records")
    },
    "board_fast_export": {"place": "h200"},
    "run_artifact": {"name": "cubin"},
    "data_file": {"name": "turns"},
    **{name: {"sha256": hashlib.sha256(LOG).hexdigest()} for name in ("run_log", "api_log")},
}
_ANYWHERE = {
    "sha256": hashlib.sha256(KERNEL).hexdigest(),
    "slug": "demo-1",
    "ending": "csv",
    "kind": "instruction",
    "place": "hopper",
    "target": "hopper",
    "device": "h200",
    "board": "instruction-hopper",
}


@dataclass(frozen=True)
class PrivateUpload:
    """``uids`` by what they are of: submission, entry, trajectory, run, token."""

    owner: User
    uids: dict[str, str]

    def address(self, name: str) -> str:
        pattern = next(one for one in our_addresses() if one.name == name)
        words = _ANYWHERE | _OF_ADDRESS.get(name, {})
        words["uid"] = self.uids[_UID_OF.get(name, "submission")]
        keys = pattern.pattern.regex.groupindex
        return reverse(name, kwargs={key: words[key] for key in keys})


def private_upload() -> PrivateUpload:
    """A trajectory of Ada's whose run has been built, with a token of hers."""
    ada = person()
    submission = imported(confirmed(read(upload(ada, own_json(), "one.json"))))
    assert submission.entry is not None
    Run.objects.update(state="preparing", device="h200")
    run, store = Run.objects.get(), LocalArtifacts(settings.HOME / "artifacts")
    cubin = store.put("cubin", b"\x7fELF")
    log = store_artifact(store, LOG, "log", at=timezone.now())
    named = (ArtifactRef("cubin", cubin.sha256, cubin.size),)
    body = wire.encode(StageReport(Stage.BUILD, "It was built.", artifacts=named)).decode()
    stage_report(attempt=done_attempt(run=run), body=body, log=log, reported_at=timezone.now())
    ends_at = timezone.now() + timedelta(days=1)
    token, _ = Token.objects.make(ada, name="a program", scope=Scope.READ, ends_at=ends_at)
    uids = {
        "submission": submission.uid,
        "entry": submission.entry.uid,
        "trajectory": Trajectory.objects.get().uid,
        "run": run.uid,
        "token": token.uid,
    }
    return PrivateUpload(ada, {name: str(uid) for name, uid in uids.items()})
