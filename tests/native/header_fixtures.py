"""A plugin of the tests that name it: ``load`` runs each of them once with each header set."""

import pytest
from ffi_calls import Runtime
from header_sets import REPOSITORY, SETS, SLIM, Builder, Loader

from evaluation.adapters import toolchain as toolchains
from evaluation.adapters.workspace import Workspace
from evaluation.core.errors import ToolMissing


@pytest.fixture(scope="session")
def header_builder(workspace: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Builder:
    requirements = (REPOSITORY / "requirements/toolchain.txt").read_bytes()
    try:
        root = toolchains.locate(workspace.toolchains, requirements)
    except ToolMissing as missing:
        pytest.skip(f"{missing}; {missing.action}")
    folder = tmp_path_factory.mktemp("slim")
    package, chosen = root / "tvm_ffi/include", folder / "capi"
    for name in toolchains._C_HEADERS:
        (chosen / name).parent.mkdir(parents=True, exist_ok=True)
        (chosen / name).symlink_to(package / name)
    includes = {"slim": (f"-I{SLIM}", f"-I{chosen}"), "real": (f"-I{package}",)}
    return Builder(includes, root / "tvm_ffi/lib", folder)


@pytest.fixture(scope="session")
def ffi_runtime(header_builder: Builder) -> Runtime:
    return Runtime(header_builder.libraries / "libtvm_ffi.so")


@pytest.fixture(scope="session", params=SETS)
def header_set(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def load(header_builder: Builder, ffi_runtime: Runtime, header_set: str) -> Loader:
    return Loader(header_builder, ffi_runtime, header_set)
