"""Names of the members that matter in archives of Harbor trials and of FlashInfer-Bench trace sets."""

import re

_FOLDERS = r"(?:[^/]+/)*"
_TRIAL = re.compile(rf"{_FOLDERS}agent/trajectory\.json\Z")
_KERNEL = re.compile(rf"{_FOLDERS}[^/]+\.(?:cu|py)\Z")
_SOLUTION = re.compile(rf"{_FOLDERS}solutions/{_FOLDERS}[^/]+\.json\Z")
_TRACES = re.compile(rf"{_FOLDERS}traces/{_FOLDERS}[^/]+\.jsonl\Z")


def is_of_a_trial(name: str) -> bool:
    return bool(_TRIAL.match(name))


def is_kernel(name: str) -> bool:
    return bool(_KERNEL.match(name))


def is_solution(name: str) -> bool:
    return bool(_SOLUTION.match(name))


def is_traces(name: str) -> bool:
    return bool(_TRACES.match(name))


def is_of_a_trace_set(name: str) -> bool:
    return is_solution(name) or is_traces(name)
