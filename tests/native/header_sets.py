"""Builds a C++ source with the slim TVM-FFI headers and with the package's own, and loads what came out."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from ffi_calls import Library, Runtime

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
SOURCES = HERE / "slim"
SLIM = REPOSITORY / "evaluation/native/slim/include"
SETS = ("slim", "real")
VERSION_SCRIPT = "{ global: __tvm_ffi_*; versions; local: *; };"


@dataclass(frozen=True, slots=True)
class Builder:
    """Compiles test sources with one of the two header sets, as the judge shows each to the compiler."""

    includes: dict[str, tuple[str, ...]]
    libraries: Path
    folder: Path

    def compile(self, headers: str, source: Path, *more: str) -> subprocess.CompletedProcess[str]:
        flags = ("-std=c++17", "-O0", "-fmax-errors=3", *self.includes[headers])
        command = ("nice", "g++", *flags, str(source), *more)
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)

    def library(self, headers: str, source: Path) -> Path:
        built = self.folder / f"{source.stem}.{headers}.so"
        if not built.exists():
            script = self.folder / "exports.map"
            script.write_text(VERSION_SCRIPT, encoding="utf-8")
            link = ("-shared", "-fPIC", f"-Wl,--version-script={script}", "-Wl,-z,now")
            into = ("-o", str(built), f"-L{self.libraries}", "-ltvm_ffi")
            done = self.compile(headers, source, *link, f"-Wl,-rpath,{self.libraries}", *into)
            assert done.returncode == 0, done.stderr
        return built


@dataclass(frozen=True, slots=True)
class Loader:
    builder: Builder
    runtime: Runtime
    headers: str

    def __call__(self, name: str) -> Library:
        built = self.builder.library(self.headers, SOURCES / f"{name}.cpp")
        return Library.load(self.runtime, built)
