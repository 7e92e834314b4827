"""Somebody starts the product with one command on a machine without a GPU, and uploads a kernel through its pages."""

import re
import signal
import time
from pathlib import Path

import pytest
from embedded_product import REPOSITORY, Product, product
from site_visitor import Visitor

from evaluation.adapters.toolchain import Toolchain
from evaluation.adapters.workspace import Workspace

pytestmark = [pytest.mark.broker, pytest.mark.toolchain]

KERNEL = REPOSITORY / "tests/golden/kernels/gemm_naive/kernel.cu"
PATIENCE_SECONDS = 240.0
SAID = {
    "model": "Me",
    "problem": "gemm_n7168_k5120",
    "target": "hopper",
    "prompts": "1",
    "trajectories": "1",
    "turns": "1",
    "licence": "CC-BY-4.0",
    "visibility": "private",
    "consent": "on",
}
WAITS = "waits for hardware: no Hopper worker is connected"


@pytest.fixture
def home(tmp_path: Path, workspace: Workspace, toolchain: Toolchain) -> Path:
    """An empty state folder in which the toolchain is installed."""
    assert toolchain.root.is_relative_to(workspace.toolchains)
    found = tmp_path / "home"
    found.mkdir()
    (found / "toolchains").symlink_to(workspace.toolchains)
    return found


def text_of(visitor: Visitor, path: str) -> str:
    """A page as it is read."""
    answer = visitor.get(path)
    assert answer.status == 200, answer.text[:2000]
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())


def wait_for(visitor: Visitor, path: str, words: str) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while words not in (text := text_of(visitor, path)):
        assert time.monotonic() < deadline, text
        time.sleep(0.2)
    return text


def signed_in(running: Product) -> Visitor:
    """The author, with the login that was printed."""
    visitor = Visitor(running.address().rstrip("/"))
    (login,) = re.findall(r"sign in as author +(\S+) +password (\S+)", running.said())
    answer = visitor.post("/accounts/login/", {"login": login[0], "password": login[1]})
    assert answer.status == 200
    assert login[0] in answer.text
    return visitor


def handed_in(visitor: Visitor) -> str:
    """Paste a kernel that nobody has had judged, check what was understood, and confirm it; give its page."""
    source = KERNEL.read_text() + "// another one than the sample\n"
    answer = visitor.post("/submissions/new/", {"text": source, "name": "mine.cu"})
    assert answer.status == 200
    found = re.search(r"/submissions/[0-9a-f-]{36}/", answer.text)
    assert found is not None
    understood = wait_for(visitor, found[0], "State: understood")
    assert "1 turn, 1 kernel to judge" in understood
    assert visitor.post(f"{found[0]}confirm/", SAID, page=found[0]).status == 200
    return found[0]


def stop(running: Product) -> None:
    running.process.send_signal(signal.SIGINT)
    assert running.exit_code() == 0
    assert running.pids() == set()


def test_an_upload_goes_as_far_as_the_scan_and_waits_for_a_gpu_also_after_another_start(
    home: Path, tmp_path: Path
) -> None:
    with product(home, tmp_path) as running:
        author = signed_in(running)
        assert (
            "a new upload goes as far as the scan, and then waits for a Hopper worker"
            in running.said()
        )
        page = handed_in(author)
        judged = wait_for(author, page, WAITS)
        assert "prepared, waits for a GPU, place 1" in judged
        for stage in (
            "policy: ",
            "build: compiled for sm_90a",
            "record: recorded: 1 launch",
            "scan: ",
        ):
            assert stage in judged
        stop(running)
    with product(home, tmp_path) as again:
        same = wait_for(signed_in(again), page, WAITS)
        assert "scan: no GMMA that counts in 1 launched functions" in same
        stop(again)
