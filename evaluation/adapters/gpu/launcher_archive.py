"""The launcher as one file: the modules that it needs and nothing else, so that no jail sees the work tree.

What is in it follows from the imports. Every module comes compiled as well, since a launcher starts for every kernel;
an interpreter of another version finds the sources.
"""

import ast
import importlib.util
import io
import marshal
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "evaluation"
ENTRY = "evaluation.launcher.program"

_ROOT = Path(__file__).parents[2]
_UNCHECKED_HASH = (1).to_bytes(4, "little")  # PEP 552: nobody compares it with the source
_START = """import sys
sys.path.extend(sys.argv.pop(1).split(":"))
from {entry} import main
main()
"""
_MADE = (1980, 1, 1, 0, 0, 0)  # equal sources make equal archives


def launcher_archive(root: Path = _ROOT, entry: str = ENTRY) -> bytes:
    """Give a zip archive that Python runs; its first argument names the folders of other packages, apart by colons.

    ``root`` is the folder of the package ``evaluation``, and ``entry`` the module whose ``main`` is called.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        _add(archive, "__main__.py", _START.format(entry=entry).encode())
        for name, path in sorted(needed_modules(root, entry).items()):
            source = path.read_bytes()
            place = path.relative_to(root.parent).as_posix()
            _add(archive, place, source)
            _add(archive, f"{place}c", _compiled(source, place, name))
    return content.getvalue()


def needed_modules(root: Path = _ROOT, entry: str = ENTRY) -> dict[str, Path]:
    """Give every module of the package that ``entry`` imports, itself and through others, and its file."""
    found: dict[str, Path] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        path = _file(root, name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting.extend(_imports(path))
        waiting.extend(_parents(name))
    return found


def _file(root: Path, name: str) -> Path | None:
    """The file of a module, or None for what is no module of the package."""
    if name.partition(".")[0] != PACKAGE:
        return None
    place = root.parent / Path(*name.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


def _imports(path: Path) -> Iterator[str]:
    """Names that may be modules: what ``from`` names may be one, or something in one."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _compiled(source: bytes, place: str, name: str) -> bytes:
    code = compile(source, f"{name} ({place})", "exec", dont_inherit=True)
    header = importlib.util.MAGIC_NUMBER + _UNCHECKED_HASH + importlib.util.source_hash(source)
    return header + marshal.dumps(code)


def _add(archive: zipfile.ZipFile, place: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(place, _MADE), content)
