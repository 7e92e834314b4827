"""The evidence of a run as its page shows it: each stage's report, with what of its artifacts can be read as text."""

from collections.abc import Iterable
from dataclasses import dataclass

from evaluation.core.bundle.members import of_artifact
from evaluation.core.errors import InvalidInput, ToolFailure
from evaluation.core.plan.plan_json import plan_from_json
from evaluation.core.plan.plan_words import describe_plan
from evaluation.core.ports import Artifacts
from evaluation.core.records import ArtifactRef
from evaluation.core.verdict import Stage
from evaluation.selectors import ReportRow

READ_BYTES = 1 << 20  # of one artifact that is shown as text; a larger one can be downloaded
SHOWN_CHARACTERS = 64 << 10
_LOG_TITLES = {
    Stage.BUILD: "Build log",
    Stage.RECORD: "Log of the recording",
    Stage.SCAN: "Machine code: opcodes of each function, and the rows that were matched",
    Stage.CHECK: "Log of the check",
}


@dataclass(frozen=True, slots=True)
class ShownText:
    """Text of an artifact; ``rest`` says what is not shown, and is empty where all is."""

    title: str
    text: str
    rest: str


@dataclass(frozen=True, slots=True)
class ArtifactLine:
    """An artifact under the file name that it has in a bundle."""

    name: str
    file: str
    size: int

    @property
    def is_picture(self) -> bool:
        return self.file.endswith(".png")


@dataclass(frozen=True, slots=True)
class StageEvidence:
    row: ReportRow
    artifacts: tuple[ArtifactLine, ...]
    texts: tuple[ShownText, ...]


def stage_evidence(rows: Iterable[ReportRow], store: Artifacts) -> tuple[StageEvidence, ...]:
    return tuple(_of_stage(one, store) for one in rows)


def shown_text(title: str, content: bytes) -> ShownText:
    """Bytes of anybody as text, cut; what is not UTF-8 is replaced."""
    text = content.decode("utf-8", "replace")
    rest = "" if len(text) <= SHOWN_CHARACTERS else f"Of {len(text):,} characters the first."
    return ShownText(title, text[:SHOWN_CHARACTERS], rest)


def stored_text(title: str, sha256: str, size: int, store: Artifacts) -> ShownText:
    """An artifact as text, or why it is not shown."""
    if size > READ_BYTES:
        return ShownText(title, "", f"{size:,} bytes are too many to be shown; download it.")
    try:
        return shown_text(title, store.get(sha256, limit_bytes=READ_BYTES))
    except ToolFailure:
        return ShownText(title, "", "It is not kept here.")


def _of_stage(row: ReportRow, store: Artifacts) -> StageEvidence:
    texts = [_plan(one, store) for one in row.report.artifacts if one.name == "plan"]
    if row.log:
        title = _LOG_TITLES.get(row.report.stage, "Log")
        texts.append(stored_text(title, row.log, row.log_bytes, store))
    elif row.report.stage is Stage.BUILD:
        texts.append(ShownText(_LOG_TITLES[Stage.BUILD], "", "The compilers printed nothing."))
    return StageEvidence(row, _lines(row.report.artifacts), tuple(texts))


def _lines(artifacts: Iterable[ArtifactRef]) -> tuple[ArtifactLine, ...]:
    named = ((one, of_artifact(one.name)) for one in artifacts)
    return tuple(ArtifactLine(one.name, member.file, one.size) for one, member in named if member)


def _plan(ref: ArtifactRef, store: Artifacts) -> ShownText:
    title = "Launch plan in words"
    if ref.size > READ_BYTES:
        return stored_text(title, ref.sha256, ref.size, store)
    try:
        words = describe_plan(plan_from_json(store.get(ref.sha256, limit_bytes=READ_BYTES)))
    except ToolFailure:
        return ShownText(title, "", "It is not kept here.")
    except InvalidInput as wrong:
        return ShownText(title, "", f"It cannot be read: {wrong}")
    return shown_text(title, words.encode())
