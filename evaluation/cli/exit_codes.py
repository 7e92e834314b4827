"""Exit codes of every command; docs/cli.md lists them for programs that drive the judge."""

from evaluation.core.verdict import Verdict

OK = 0  # for judge: accepted
USAGE = 2
INCOMPLETE = 3  # judge: nothing against the kernel so far, stages that need a GPU are still to come
DIFFERS = 4  # replay: a finding is another one than in the bundle
BAD_DOCUMENT = 65
NO_INPUT = 66
UNAVAILABLE = 69  # tool, jail or GPU is missing, the GPU is taken or in quarantine, or the state folder is unusable
OUR_FAILURE = 70
CANNOT_WRITE = 73
INTERRUPTED = 130
PIPE_CLOSED = 141  # whoever read our output went away; what a shell reports of any tool then

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


def of_verdict(verdict: Verdict | None) -> int:
    """None: no stage that ran has ended the run."""
    return INCOMPLETE if verdict is None else BY_VERDICT[verdict]
