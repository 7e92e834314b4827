"""Without a GPU no call is made, so a name that the bindings lack would be found only on a GPU machine."""

import ast
from pathlib import Path

import pytest
from cuda.bindings import driver

GPU = Path(__file__).parents[3] / "evaluation/adapters/gpu"
SOURCES = [
    path
    for path in sorted(GPU.glob("*.py"))
    if "from cuda.bindings import driver" in path.read_text()
]


def missing(source: str, known: object) -> list[str]:
    """Chains like ``driver.CUresult.CUDA_SUCCESS`` that do not lead to anything."""
    tree = ast.parse(source)
    root = _bindings_name(tree)
    aliases = {
        target.id: statement.value
        for statement in tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        chain = _chain(node, aliases, root)
        if chain:
            value = known
            for name in chain[1:]:
                if not hasattr(value, name):
                    found.append(".".join(chain))
                    break
                value = getattr(value, name)
    return found


def _bindings_name(tree: ast.Module) -> str:
    """What a module calls cuda.bindings.driver."""
    return next(
        name.asname or name.name
        for statement in ast.walk(tree)
        if isinstance(statement, ast.ImportFrom) and statement.module == "cuda.bindings"
        for name in statement.names
        if name.name == "driver"
    )


def _chain(node: ast.AST, aliases: dict[str, ast.expr], root: str) -> list[str]:
    """The names from the bindings on to this node, or none where it does not begin there."""
    if isinstance(node, ast.Attribute):
        before = _chain(node.value, aliases, root)
        return [*before, node.attr] if before else []
    if isinstance(node, ast.Name):
        if node.id == root:
            return ["driver"]
        if isinstance(aliases.get(node.id), ast.Attribute):
            return _chain(aliases[node.id], {}, root)
    return []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_name_of_the_bindings_that_a_module_uses_exists(path: Path) -> None:
    assert missing(path.read_text(), driver) == []


def test_a_name_that_does_not_exist_is_found_directly_and_behind_an_alias() -> None:
    source = (
        "from cuda.bindings import driver as bindings\n"
        "_ID = bindings.CUresult\n"
        "x = bindings.cuNoSuchCall(_ID.CUDA_SUCCESS, _ID.CUDA_NO_SUCH)\n"
    )
    assert sorted(missing(source, driver)) == [
        "driver.CUresult.CUDA_NO_SUCH",
        "driver.cuNoSuchCall",
    ]


def test_the_driver_and_the_memory_are_among_what_is_looked_at() -> None:
    assert {"driver.py", "memory.py"} <= {path.name for path in SOURCES}
