"""What changes the rows of evaluation: plain functions, each one transaction, each with an answer."""

from evaluation.services.artifacts import store_artifact
from evaluation.services.attempts import (
    bind,
    create_attempt,
    extend,
    has_key,
    key_digest,
    say_waits_for,
    sendable,
)
from evaluation.services.authors import (
    accept_model,
    add_model,
    list_model,
    merge_models,
    model_named,
    remove_model,
)
from evaluation.services.boards import DueRun, boards_due, due_on_boards, looked_at
from evaluation.services.canaries import keep_readings
from evaluation.services.entries import AddedEntry, AddedTrajectory, add_entry, add_trajectory
from evaluation.services.fleet import (
    lock_queue,
    note_device,
    note_worker,
    pause_queue,
    resume_queue,
    set_draining,
)
from evaluation.services.halves import Ending, Told, report_end, report_stage
from evaluation.services.holds import clear_hold, lift_strike, place_hold, strike
from evaluation.services.kernels import add_kernel
from evaluation.services.losses import losses_of, note_kernel
from evaluation.services.new_rows import NewEntry, NewReported, NewTrajectory, NewTurn
from evaluation.services.reports import store_report
from evaluation.services.requests import Requested, Wanted, request_runs, request_wanted
from evaluation.services.returns import cancel, fail, hand_back, lapse, lose, prepare_again
from evaluation.services.stored_text import stored
from evaluation.services.visibility import set_visibility, withdraw

__all__ = [
    "AddedEntry",
    "AddedTrajectory",
    "DueRun",
    "Ending",
    "NewEntry",
    "NewReported",
    "NewTrajectory",
    "NewTurn",
    "Requested",
    "Told",
    "Wanted",
    "accept_model",
    "add_entry",
    "add_kernel",
    "add_model",
    "add_trajectory",
    "bind",
    "boards_due",
    "cancel",
    "clear_hold",
    "create_attempt",
    "due_on_boards",
    "extend",
    "fail",
    "hand_back",
    "has_key",
    "keep_readings",
    "key_digest",
    "lapse",
    "lift_strike",
    "list_model",
    "lock_queue",
    "looked_at",
    "lose",
    "losses_of",
    "merge_models",
    "model_named",
    "note_device",
    "note_kernel",
    "note_worker",
    "pause_queue",
    "place_hold",
    "prepare_again",
    "remove_model",
    "report_end",
    "report_stage",
    "request_runs",
    "request_wanted",
    "resume_queue",
    "say_waits_for",
    "sendable",
    "set_draining",
    "set_visibility",
    "store_artifact",
    "store_report",
    "stored",
    "strike",
    "withdraw",
]
