"""The recorder's own programs: the shim and its driver, compiled once in a jail and kept by what went in."""

import hashlib
import importlib.resources
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from evaluation.adapters.kept import COMPILE_ENVIRONMENT, kept
from evaluation.adapters.toolchain import Toolchain
from evaluation.core.compile.diagnostics import clean
from evaluation.core.errors import ToolFailure
from evaluation.core.library_names import SHIM_LIBRARY
from evaluation.core.ports import Jail, JailCommand, JailFile, Limits, Output

FOLDER: Final = "/judge"  # where the recorder puts both programs in its jail

_KIND: Final = b"ptxboard-native-1"
_SUFFIXES: Final = (".cpp", ".h", ".inc")
_DRIVER: Final = Output("driver", fd=10, limit_bytes=8 << 20)
_SHIM: Final = Output("shim", fd=11, limit_bytes=8 << 20)
LIMITS: Final = Limits(
    wall_seconds=300.0,  # half a minute on an idle machine of two cores
    cpu_seconds=300,
    memory_bytes=2 << 30,
    file_bytes=64 << 20,
    scratch_bytes=256 << 20,
    processes=64,
    open_files=64,
    stdout_bytes=1024,
    stderr_bytes=64 * 1024,
)
# No exceptions and no stack guard: nothing of the shim may show in what the author's structs are padded with.
_SCRIPT: Final = f"""\
set -e
compile() {{
  /usr/bin/g++ -std=c++17 -O2 -fPIC -fvisibility=hidden -fno-exceptions -fno-rtti -fno-stack-protector \\
    -frandom-seed="$1" -Wall -Wextra -Werror -isystem /toolchain/include -isystem /toolchain/tvm/include \\
    -I/w/shim -c -o "$(/usr/bin/basename "$(/usr/bin/dirname "$1")").$(/usr/bin/basename "$1").o" "$1"
}}
export -f compile
/usr/bin/printf '%s\\0' /w/shim/*.cpp /w/driver/*.cpp | /usr/bin/xargs -0 -n 1 -P 2 /usr/bin/bash -c 'compile "$0"'
/usr/bin/g++ -shared -o {SHIM_LIBRARY} shim.*.o -Wl,-soname,{SHIM_LIBRARY} -Wl,--build-id=none \\
  -Wl,-z,defs -Wl,-z,now -Wl,-z,relro
/usr/bin/g++ -pie -o driver driver.*.o -Wl,--build-id=none -Wl,-z,now -Wl,-z,relro -Wl,--no-as-needed \\
  ./{SHIM_LIBRARY} -L/toolchain/tvm/lib -ltvm_ffi -lstdc++ -lm -lgcc_s -Wl,-rpath,{FOLDER}:/toolchain/tvm/lib
/usr/bin/cat driver >&{_DRIVER.fd}
/usr/bin/cat {SHIM_LIBRARY} >&{_SHIM.fd}
"""


@dataclass(frozen=True, slots=True)
class Native:
    """The built programs as they go into the record jail."""

    driver: bytes
    shim: bytes


@dataclass(frozen=True, slots=True)
class NativePrograms:
    """Builds in ``jail`` and keeps in ``directory``; two workers at once build once."""

    jail: Jail
    toolchain: Toolchain
    directory: Path

    def built(self) -> Native:
        """Return the programs for this toolchain. Raise ToolFailure when they do not compile."""
        path = self.directory / f"{self._key()}.native"
        return _decode(kept(path, _KIND, lambda: _encode(self._build())))

    def _key(self) -> str:
        stated = "\n".join(
            (native_identity(), self.toolchain.identity, _SCRIPT, repr(COMPILE_ENVIRONMENT))
        )
        return hashlib.sha256(stated.encode()).hexdigest()

    def _build(self) -> Native:
        result = self.jail.run(
            JailCommand(
                argv=("/usr/bin/bash", "/w/build"),
                limits=LIMITS,
                binds=self.toolchain.compile_binds(),
                files=(
                    *(
                        JailFile(f"/w/{name}", content)
                        for name, content in _sources("shim", "driver")
                    ),
                    JailFile("/w/build", _SCRIPT.encode()),
                ),
                outputs=(_DRIVER, _SHIM),
                environment=COMPILE_ENVIRONMENT,
            )
        )
        if not result.clean or not all(one.content for one in result.outputs.values()):
            raise ToolFailure(
                f"the recorder does not compile: {clean(result.stderr.content)[-2000:]}",
                action="run ptxboard doctor; a compiler other than g++ 12 may need a change of the recorder",
            )
        return Native(result.outputs["driver"].content, result.outputs["shim"].content)


def native_identity() -> str:
    """SHA-256 over names and bytes of all that can change a cubin or a plan: the recorder and the slim headers.

    What else is in ``evaluation/native`` is of the GPU half; a change there must not make another toolchain.
    """
    digest = hashlib.sha256()
    for name, content in _sources("shim", "driver", "slim"):
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _sources(*parts: str) -> tuple[tuple[str, bytes], ...]:
    native = importlib.resources.files("evaluation") / "native"
    return tuple(found for part in parts for found in _files(native / part, f"{part}/"))


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_SUFFIXES):
            yield prefix + entry.name, entry.read_bytes()


def _encode(native: Native) -> bytes:
    return len(native.driver).to_bytes(8, "little") + native.driver + native.shim


def _decode(body: bytes) -> Native:
    """The inverse of ``_encode``, for bytes whose hash is right."""
    size = int.from_bytes(body[:8], "little")
    return Native(body[8 : 8 + size], body[8 + size :])
