"""Coverage-guided fuzzing of both readers, by hand: ``python tests/adversarial/fuzz_elf.py [RUNS] [FILE...]``.

Needs atheris, which is no dependency of the project. Starts from the hand-made images and from the files given (real
cubins and libraries). Ends with a traceback on any exception but InvalidInput.
"""

import importlib
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[2]), str(HERE.parents[1]), str(HERE.parent)]

DEFAULT_RUNS = 20_000


def main(arguments: list[str]) -> int:
    try:
        atheris = importlib.import_module("atheris")  # by name: it has no types and may be absent
    except ImportError:
        sys.stderr.write("fuzz_elf: atheris is not installed; nothing was run\n")
        return 69
    with atheris.instrument_imports(include=["evaluation"]):
        from evaluation.core.binary.cubin import read_cubin  # noqa: PLC0415 - instrumented from here on
        from evaluation.core.binary.library import read_library  # noqa: PLC0415
        from evaluation.core.errors import InvalidInput  # noqa: PLC0415
    from test_elf_mutations import CUBIN, LIBRARY  # noqa: PLC0415

    def read(content: bytes) -> None:
        for reader in (read_cubin, read_library):
            try:
                reader(content)
            except InvalidInput:
                continue

    runs = int(arguments[1]) if len(arguments) > 1 else DEFAULT_RUNS
    with tempfile.TemporaryDirectory() as folder:
        seeds = [bytes(CUBIN.content), bytes(LIBRARY.content)]
        seeds += [Path(name).read_bytes() for name in arguments[2:]]
        for place, seed in enumerate(seeds):
            (Path(folder) / f"seed{place}").write_bytes(seed)
        largest = 2 * max(map(len, seeds))
        atheris.Setup(
            [arguments[0], f"-runs={runs}", f"-max_len={largest}", "-timeout=10", folder], read
        )
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
