"""One kernel as a file: CUDA or Triton by its name, by its text where the name says nothing."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from evaluation.core.entry_words import Missing
from evaluation.core.verdict import Language
from portal.uploads.importers.importer import Head, Shape
from portal.uploads.importers.kernel_of_turn import looks_valid
from portal.uploads.importers.records import Format, Layout, Proposed, ReadTrajectory, ReadTurn
from portal.uploads.importers.source import Source
from portal.uploads.importers.turn_kernel import TurnKernel, kept
from portal.uploads.reading.limits import Limits
from portal.uploads.reading.readable import whole
from portal.uploads.reading.refused import TooLarge


@dataclass(frozen=True, slots=True)
class SingleKernel:
    name: Format = Format.SINGLE_KERNEL

    def recognises(self, head: Head) -> bool:
        return head.shape is Shape.TEXT

    def read(
        self, source: Source, limits: Limits, *, done: Collection[str] = ()
    ) -> Iterator[ReadTrajectory]:
        if source.name not in done:
            kernel, text = _kernel(source, limits)
            yield ReadTrajectory(
                member=source.name,
                format=Format.SINGLE_KERNEL,
                proposed=Proposed(language=_language(source.name, text)),
                turns=(
                    ReadTurn(0, kernel.source, kernel.missing, kernel.said, secrets=kernel.secrets),
                ),
                layout=Layout(prompts=1, trajectories=1, turns=1),
            )


def _kernel(source: Source, limits: Limits) -> tuple[TurnKernel, str]:
    try:
        with source.open() as file:
            content = whole(file, limits.kernel_bytes, source.name)
    except TooLarge:
        said = f"the file is larger than the {limits.kernel_bytes} bytes of a kernel"
        return TurnKernel(None, Missing.TOO_LARGE, said), ""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return TurnKernel(None, Missing.UNREADABLE, "the file is not text in UTF-8"), ""
    return kept(text, limits), text


def _language(name: str, text: str) -> Language:
    if name.endswith((".cu", ".cuh", ".cpp")):
        return Language.CUDA
    if name.endswith(".py") or looks_valid(text, Language.TRITON):
        return Language.TRITON
    return Language.CUDA
