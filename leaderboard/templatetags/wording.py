"""Words of the code in words for readers."""

UNRANKED = {
    "not_verified": "not verified by us",
    "model_not_accepted": "the model’s name is not accepted yet",
    "problem_not_ranked": "this problem is shown and not ranked",
    "nothing_counted": "nothing to rank by",
    "suite_incomplete": "a problem of the suite has no value",
    "provisional": "provisional: turns are open",
    "source_missing": "turns were handed in without their source",
    "few_trajectories": "fewer than five trajectories",
    "no_interval": "no interval",
}
BESIDE = {
    "abandoned": "we could not judge",
    "source_missing": "without a source",
    "ended_by_us": "ended by our fault",
    "never_taken": "never taken, counted as not correct",
    "struck": "struck, counted as not correct",
    "family_unknown": "correct, instruction not known",
    "path_unknown": "correct, matrix path not known",
    "ratio_unknown": "correct, without a speed",
}
FAMILY = {
    "yes": "executed",
    "present_never_executed": "in the code, never executed",
    "absent": "absent",
    "unknown": "not known",
}
MATRIX_PATH = {"yes": "did the work", "no": "did not do the work", "unknown": "not known"}
CORRECT = {"yes": "correct", "no": "not correct", "unknown": "not known"}
PROVENANCE = {
    "verified": "verified by us",
    "reported": "reported by the upload, not checked",
    "paper": "published, not checked by us",
}
AUTHORSHIP = {
    "attested": "attested by the model’s organisation",
    "harness_log": "complete harness log",
    "uploader": "the uploader’s word",
    "project": "handed in by this project",
}
ENDING = {
    "turns_used": "all turns were used",
    "target_met": "it met its target",
    "our_fault": "our fault ended it",
    "stopped": "it was stopped",
    "unknown": "not said",
}
MISSING = {
    "no_code": "no code in the reply",
    "source_missing": "source not in the upload",
    "scrubbed": "changed by taking a secret out",
    "too_large": "too large",
    "unreadable": "unreadable",
}
STATE = {
    "judged": "judged",
    "open": "no verdict yet",
    "held": "under review",
    "struck": "struck",
    "abandoned": "we could not judge it",
    "source_missing": "source not in the upload",
}
TRACK = {"human": "written by hand", "agent": "agent", "model": "model"}
LANGUAGE = {"cuda": "CUDA", "triton": "Triton"}
KIND = {"gemm": "GEMM"}
# As words before “value”.
ADJECTIVE = {"paper": "published"}
RATES = {
    "correct": "correct@T",
    "solved": "solved by T",
    "family_correct": "family-correct@T",
    "family_solved": "family-solved by T",
    "path_correct": "path-correct@T",
    "path_solved": "path-solved by T",
}
EVIDENCE = {
    "dynamic_sass": "by executed SASS",
    "ptx_text": "by the text of the PTX",
    "": "",
}
LISTS = {
    "unranked": UNRANKED,
    "beside": BESIDE,
    "family": FAMILY,
    "matrix_path": MATRIX_PATH,
    "correct": CORRECT,
    "provenance": PROVENANCE,
    "authorship": AUTHORSHIP,
    "ending": ENDING,
    "missing": MISSING,
    "state": STATE,
    "track": TRACK,
    "language": LANGUAGE,
    "kind": KIND,
    "adjective": ADJECTIVE,
    "rate": RATES,
    "evidence": EVIDENCE,
}
