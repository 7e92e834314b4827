"""Bundles as files: whole under their name or not there at all."""

import os
import tempfile
from pathlib import Path

from evaluation.core.bundle.bundle import pack
from evaluation.core.judgement import Judgement
from evaluation.core.ports import Artifacts


def write_bundle(file: Path, judgement: Judgement, source: bytes, artifacts: Artifacts) -> None:
    """Pack a judgement with its source and all artifacts of its reports, and put that under ``file``.

    Raise ToolFailure for an artifact that is not there any more or has no place in a bundle, and OSError where the file
    cannot be written; then whatever was under its name before is still there.
    """
    content = pack(judgement, source, lambda ref: artifacts.get(ref.sha256, limit_bytes=ref.size))
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:64]}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), 0o644)  # to be handed on, as a program's output is
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)
