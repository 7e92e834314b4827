# ruff: noqa: INP001 - a script beside the C++ it writes for
"""Write what the shim takes from the CUDA headers: names and numbers only.

Usage: list_names.py CUDA_INCLUDE_DIRECTORY

Writes beside this script ``shim/recorded_names.inc`` (functions that the files of the shim define),
``shim/refused_names.inc`` (every other function of the API), ``shim/driver_entries.inc`` (recorded driver functions by
the names they are asked for) and ``shim/errors.inc``, and ``evaluation/core/binary/shim_names.py`` with
all names. Run it again after a change of the shim's calls or of the toolkit.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SHIM = HERE / "shim"
HEADING = "// Written by list_names.py from the headers of CUDA 13.0; do not edit.\n"
NAMES = HERE.parent / "core" / "binary" / "shim_names.py"

DECLARED = re.compile(r"\bCUDA(?:RT)?API\s+(_*cu[A-Za-z]\w*)\s*\(")
MEANT = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(cu\w+)[ \t]+(?:__CUDA_API_PT[DS][SZ]\()?(cu\w+?)\)?[ \t]*$",
    re.MULTILINE,
)
PER_THREAD = re.compile(r"__CUDA(?:RT)?_API_(PTDS|PTSZ)\((\w+)\)")
DEFINED = re.compile(
    r"^(?:cudaError_t|CUresult|const char\*|unsigned|char|void\*?\*?) (_*cu\w+)\(", re.MULTILINE
)
AS_NAMED = re.compile(r"^#undef (cu\w+)$", re.MULTILINE)  # an older form, which no macro renames
EXTERN = re.compile(r'^extern "C" cudaError_t (cuda\w+)\(', re.MULTILINE)
SINCE = re.compile(r"\bPFN_(cu\w+?)(?:_v|, ?)(\d{4,5})(?:, ?\d+)?\)")
RUNTIME_ERROR = re.compile(r"^\s*(cuda(?:Success|Error\w+))\s*=\s*(\d+)", re.MULTILINE)
DRIVER_ERROR = re.compile(r"^\s*(CUDA_(?:SUCCESS|ERROR_\w+))\s*=\s*(\d+)", re.MULTILINE)

# Exported by the libraries without a declaration in these headers.
UNDECLARED = (
    "cudaProfilerStart", "cudaProfilerStop", "cuProfilerStart", "cuProfilerStop", "cuProfilerInitialize",
    "__cudaLaunchKernel_ptsz",
)  # fmt: skip

# The words of a few errors that authors print; all others are read off their names.
TEXTS = {
    "cudaSuccess": "no error",
    "CUDA_SUCCESS": "no error",
    "cudaErrorInvalidValue": "invalid argument",
    "CUDA_ERROR_INVALID_VALUE": "invalid argument",
    "cudaErrorMemoryAllocation": "out of memory",
    "cudaErrorInvalidConfiguration": "invalid configuration argument",
    "cudaErrorInvalidDevice": "invalid device ordinal",
    "CUDA_ERROR_INVALID_DEVICE": "invalid device ordinal",
}


def main() -> int:
    if len(sys.argv) != 2:
        sys.stderr.write(__doc__ or "")
        return 2
    include = Path(sys.argv[1])
    runtime = (include / "cuda_runtime_api.h").read_text()
    driver = (include / "cuda.h").read_text()
    meant = {name: symbol for name, symbol in MEANT.findall(driver) if name != symbol}
    declared = set(DECLARED.findall(runtime)) | set(DECLARED.findall(driver))
    both = runtime + driver
    api = declared | {meant.get(name, name) for name in declared} | set(UNDECLARED)
    api |= {f"{meant.get(name, name)}_{kind.lower()}" for kind, name in PER_THREAD.findall(both)}
    api -= {"api_ptds", "api_ptsz"}  # the macros themselves
    files = [file.read_text() for file in sorted(SHIM.glob("*.cpp"))]
    defined = {meant.get(name, name) for text in files for name in found(text)}
    defined |= {name for text in files for name in AS_NAMED.findall(text)}
    write(SHIM / "refused_names.inc", [f"REFUSED_NAME({name})" for name in sorted(api - defined)])
    write(SHIM / "recorded_names.inc", [f"RECORDED_NAME({name})" for name in sorted(defined)])
    write(SHIM / "driver_entries.inc", entries(include, declared, meant, defined))
    write(SHIM / "errors.inc", errors(include, driver))
    names = " ".join(sorted(api | defined))
    NAMES.write_text(NAMES_MODULE.format(names=wrapped(names)))
    return 0


def found(text: str) -> list[str]:
    return DEFINED.findall(text) + EXTERN.findall(text)


def entries(
    include: Path, declared: set[str], meant: dict[str, str], defined: set[str]
) -> list[str]:
    since: dict[str, int] = {}
    for name, version in SINCE.findall((include / "cudaTypedefs.h").read_text()):
        since[name] = max(
            int(version), since.get(name, 0)
        )  # the newest form, which the headers mean
    drivers = sorted(
        name for name in declared if re.match(r"cu[A-Z]", name) and meant.get(name, name) in defined
    )
    return [
        f'ENTRY("{name}", "{meant.get(name, name)}", {since.get(name, 2000)})' for name in drivers
    ]


def errors(include: Path, driver: str) -> list[str]:
    types = (include / "driver_types.h").read_text()
    lines = [
        f'RUNTIME_ERROR({code}, "{name}", "{words(name)}")'
        for name, code in RUNTIME_ERROR.findall(types)
    ]
    return lines + [
        f'DRIVER_ERROR({code}, "{name}", "{words(name)}")'
        for name, code in DRIVER_ERROR.findall(driver)
    ]


def words(name: str) -> str:
    if name in TEXTS:
        return TEXTS[name]
    plain = re.sub(r"^(cudaError|CUDA_ERROR_)", "", name)
    if "_" in plain or plain.isupper():
        return plain.replace("_", " ").lower()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain).lower()


def write(file: Path, lines: list[str]) -> None:
    file.write_text(HEADING + "\n".join(lines) + "\n")


def wrapped(names: str, width: int = 96) -> str:
    lines, line = [], ""
    for name in names.split(" "):
        if len(line) + len(name) + 1 > width:
            lines.append(line)
            line = ""
        line += name + " "
    return "\n".join(one.rstrip() for one in [*lines, line])


NAMES_MODULE = '''"""Names that the recording shim defines: the runtime and driver API of CUDA 13.0 (rules R1 and R5).

Written by evaluation/native/list_names.py; a test compares it with the built library.
"""

_NAMES = """
{names}
"""

SHIM_NAMES: frozenset[str] = frozenset(_NAMES.split())
'''

if __name__ == "__main__":
    raise SystemExit(main())
