"""The stand-in for libcuda.so.1 (native/fake_cuda): built here, told by a script what happens, read by its log.

Device memory is host memory, so shared descriptors are really shared and a bad address really faults. Kernels are not
run: a launch is a line of the log with its parameter bytes. Start a program with ``fake.environment()`` to use it; in a
jail without an environment the library finds its script beside itself.

Script words, one a line, the first match counts:

    attribute NUMBER VALUE   cuDeviceGetAttribute; a number that is not there is an error
    kernel_ns NS, copy_ns NS how long things take on the clock that events read
    memory BYTES, name TEXT, blocks_per_sm N, active_clusters N, largest_cluster N, shared_room N, driver_version N
    function_attribute NUMBER VALUE    limit NUMBER VALUE
    read_only_refused 1      no read-only mappings
    symbols 1                launches log the contents of the module's variables
    ACT CALL NTH CODE        at the NTH call of CALL, counted from 1: ``fail`` with a CUresult, ``fault`` the kernel later,
                             ``hang``, ``die`` with an exit code, ``crash``. CALL is a driver function without version, or
                             launch, synchronise, load, copy, memset, allocate, encode
"""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.adapters.catalogue import packaged

SOURCES = Path(__file__).parent / "native/fake_cuda"
CACHE = Path(__file__).parents[1] / "build/fake_cuda"
LIBRARY = "libcuda.so.1"

Line = dict[str, Any]


def build(include: Path) -> Path:
    """Compile against cuda.h in ``include``, once for each state of the sources; give the library."""
    sources = sorted((*SOURCES.glob("*.c"), *SOURCES.glob("*.h")))
    content = b"".join(path.read_bytes() for path in sources)
    made = CACHE / hashlib.sha256(content).hexdigest()[:16] / LIBRARY
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        new = made.with_name(f"{LIBRARY}.{os.getpid()}")
        flags = "-std=gnu11 -O1 -g -Wall -Wextra -Werror -Wno-override-init -shared -fPIC -Wl,-Bsymbolic"
        files = [str(path) for path in sources if path.suffix == ".c"]
        subprocess.run(
            ["gcc", *flags.split(), f"-Wl,-soname,{LIBRARY}", f"-I{include}", *files, "-o", new],
            check=True,
        )
        new.replace(made)
    return made


@dataclass(frozen=True, slots=True)
class FakeCuda:
    """An own copy of the library in ``folder``, with its script and its log."""

    folder: Path
    script: list[str] = field(default_factory=list)

    @classmethod
    def place(cls, library: Path, folder: Path, *script: str, product: str = "h200") -> "FakeCuda":
        """Put the library into ``folder``, which must not hold one; it answers as ``product`` does."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, folder / LIBRARY)
        device = packaged().device(product)
        attributes = [f"attribute {one.number} {one.value}" for one in device.attributes]
        name = [f"name {device.device_name}"] if device.device_name else []
        memory = [f"memory {device.total_memory_bytes}"] if device.total_memory_bytes else []
        made = cls(folder, [*script, *attributes, *name, *memory])
        made.write()
        return made

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def write(self) -> None:
        words = [f"log {self.log}", *self.script]
        (self.folder / f"{LIBRARY}.script").write_text("\n".join(words) + "\n")

    def environment(self) -> dict[str, str]:
        return {**os.environ, "LD_LIBRARY_PATH": str(self.folder)}

    def lines(self, *kinds: str) -> list[Line]:
        """Give the log's lines in their order, all or those of some kinds (``what``)."""
        if not self.log.exists():
            return []
        found = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line for line in found if not kinds or line["what"] in kinds]
