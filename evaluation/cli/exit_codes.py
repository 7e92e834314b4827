"""Exit codes of every command; docs/verdicts.md lists them for programs that drive the judge."""

from evaluation.core.verdict import Verdict

OK = 0  # for judge: accepted
USAGE = 2
INCOMPLETE = 3  # judge: nothing against the kernel so far, stages that need a GPU are still to come
BAD_DOCUMENT = 65
NO_INPUT = 66
UNAVAILABLE = 69  # a tool is missing or the host cannot jail
OUR_FAILURE = 70
INTERRUPTED = 130

BY_VERDICT = {
    Verdict.ACCEPTED: OK,
    Verdict.WRONG_RESULT: 10,
    Verdict.MEMORY_FAULT: 11,
    Verdict.RUNTIME_ERROR: 12,
    Verdict.TIMEOUT: 13,
    Verdict.BUILD_FAILED: 20,
    Verdict.POLICY_REJECTED: 21,
    Verdict.NOT_RECORDABLE: 22,
    Verdict.NO_KERNEL: 23,
}
