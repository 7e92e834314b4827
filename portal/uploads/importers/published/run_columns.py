"""The columns that every file of results has: which run a row is about."""

import re

from evaluation.core.verdict import Target
from portal.uploads.importers.published.csv_rows import Row
from portal.uploads.importers.published.published_records import RunKey
from portal.uploads.importers.published.published_words import experiment_of

_DEFINITION = re.compile(r"[a-z0-9_]{1,64}")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TARGETS = {target.value: target for target in Target}


def run_key(row: Row) -> RunKey:
    """Read the key of a run. Of the path only the last part is kept: the rest tells of an author's machine."""
    definition, workload = row.cells["definition"], row.cells["workload"]
    if not _DEFINITION.fullmatch(definition):
        raise row.broken("definition", "must be 1 to 64 lower-case letters, digits and _")
    if not _UUID.fullmatch(workload):
        raise row.broken("workload", "must be a uuid in lower case")
    try:
        experiment = experiment_of(row.cells["exp_dir"])
    except ValueError:
        rule = "must end in a name of letters, digits, dots, - and _, at most 120"
        raise row.broken("exp_dir", rule) from None
    target = row.one_of("arch", _TARGETS)
    return RunKey(row.text("model"), target, definition, workload, experiment)
