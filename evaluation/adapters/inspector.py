"""Runs our readers of built artifacts in a jail of their own (docs/rules.md, T7).

The reader is the system's Python, isolated and without site packages, with the few modules of ``evaluation.core`` that
it needs; the artifact comes in as a file, the facts go out through a pipe as JSON that is checked again here.
"""

import importlib.resources
from dataclasses import dataclass
from typing import Final

from evaluation.core.binary import cubin, elf, facts_json, library
from evaluation.core.binary.facts import CubinFacts, LibraryFacts
from evaluation.core.errors import InvalidInput, ToolFailure, ToolMissing
from evaluation.core.ports import Captured, Jail, JailCommand, JailFile, JailResult, Limits, Output

# Everything that facts_json imports, directly or through another; a test holds this list against the imports.
READER_MODULES: Final = (
    "binary/cubin",
    "binary/cubin_attributes",
    "binary/elf",
    "binary/elf_dynamic",
    "binary/facts",
    "binary/facts_json",
    "binary/library",
    "binary/library_scan",
    "binary/x86_length",
    "errors",
    "wire",
)
# The largest honest artifacts take under 0.2 s and 40 MB; the rest is for slow machines.
LIMITS: Final = Limits(
    wall_seconds=120.0,  # processor time ends a hostile artifact; this ends our own trouble
    cpu_seconds=10,
    memory_bytes=512 << 20,
    file_bytes=1 << 20,
    scratch_bytes=1 << 20,
    processes=8,
    open_files=32,
    stdout_bytes=4096,
    stderr_bytes=4096,
)
UNREADABLE: Final = "the built file cannot be read within limits"

_PYTHON: Final = "/usr/bin/python3"
_READER: Final = "/reader"
_ARTIFACT: Final = "/artifact"
_ANSWER: Final = Output("answer", fd=10, limit_bytes=facts_json.LIMIT_BYTES)
_READY: Final = (
    b"ready\n"  # written when Python and our modules are there and no hostile byte has been read
)
_MAIN: Final = f"""\
import os, sys
sys.path.insert(0, {_READER!r})
from evaluation.core.binary.facts_json import answer
os.write({_ANSWER.fd}, {_READY!r})
with open({_ARTIFACT!r}, "rb") as file:
    document = answer(sys.argv[1], file.read())
with open({_ANSWER.fd}, "wb", closefd=False) as pipe:
    pipe.write(document)
"""


@dataclass(frozen=True, slots=True)
class Inspector:
    """Facts about built artifacts, read in ``jail``.

    Both methods raise InvalidInput (``where`` names the artifact) when the artifact is malformed or makes the reader
    fail or exceed a limit: that is the author's fault. ToolFailure says that the reader never got to the artifact, or
    that the host let it wait.
    """

    jail: Jail
    limits: Limits = LIMITS
    python: str = _PYTHON

    def cubin(self, content: bytes) -> CubinFacts:
        return facts_json.cubin_facts(self._read(cubin.WHERE, content))

    def library(self, content: bytes) -> LibraryFacts:
        return facts_json.library_facts(self._read(library.WHERE, content))

    def _read(self, where: str, content: bytes) -> bytes:
        if len(content) > elf.MAX_FILE_BYTES:
            rule = f"is {len(content)} bytes, at most {elf.MAX_FILE_BYTES}"
            raise InvalidInput(where=where, key="", rule=rule)
        result = self.jail.run(
            JailCommand(
                argv=(self.python, "-I", "-S", f"{_READER}/main.py", where),
                limits=self.limits,
                files=(*_reader_files(), JailFile(_ARTIFACT, content)),
                outputs=(_ANSWER,),
            )
        )
        return _document(where, result)


def _reader_files() -> tuple[JailFile, ...]:
    core = importlib.resources.files("evaluation.core")
    return (
        JailFile(f"{_READER}/main.py", _MAIN.encode()),
        JailFile(f"{_READER}/evaluation/__init__.py", b""),
        JailFile(f"{_READER}/evaluation/core/__init__.py", b""),
        JailFile(f"{_READER}/evaluation/core/binary/__init__.py", b""),
        *(
            JailFile(
                f"{_READER}/evaluation/core/{name}.py", core.joinpath(f"{name}.py").read_bytes()
            )
            for name in READER_MODULES
        ),
    )


def _document(where: str, result: JailResult) -> bytes:
    answer = result.outputs.get(_ANSWER.name, Captured(b""))
    if not answer.content.startswith(_READY):
        raise _never_read(result)
    if result.timed_out:
        raise ToolFailure(
            "the reader of built artifacts got too little processor time",
            action="the host is overloaded",
        )
    if not result.clean or answer.dropped:
        raise InvalidInput(where=where, key="", rule=UNREADABLE)
    return answer.content.removeprefix(_READY)


def _never_read(result: JailResult) -> ToolFailure:
    said = result.stderr.content.decode(errors="replace").strip()[-400:]
    if result.exit_code in {126, 127}:  # prlimit found nothing to execute
        return ToolMissing(
            f"the jail has no Python to read artifacts with: {said}",
            action=f"install Python 3.11 or later as {_PYTHON} (apt-get install python3)",
        )
    return ToolFailure(
        f"the reader of built artifacts did not start: {said}",
        action="see that /usr/bin/python3 is Python 3.11 or later and that the host is not overloaded",
    )
