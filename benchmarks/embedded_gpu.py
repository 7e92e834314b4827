"""The whole product on one machine with a GPU: kernels handed in through its pages, judged, accepted, on the boards.

    PYTHONPATH=.:tests:tests/journeys python3 benchmarks/embedded_gpu.py HOME [CASE ...]

HOME is a state folder with the toolchain in it (bin/install-toolchain) and nothing else. Each golden CASE is pasted by
the demo author as an upload of a model of its own; staff add those models and accept the entries; then the boards are
read as a stranger reads them. Every verdict comes from this machine's GPU. Prints what each page says, and last what is
left after Ctrl-C.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from embedded_product import REPOSITORY, Product
from processes_found import living, read
from site_visitor import Visitor

from evaluation.core.verdict import Verdict

GOLDEN = REPOSITORY / "tests/golden"
CASES = (
    *("gemm_wgmma_tma", "gemm_mma_sync", "mha_fwd_wgmma_causal"),
    *("token_instruction", "one_wrong_element"),
)
SAID = {
    "prompts": "1",
    "trajectories": "1",
    "turns": "1",
    "licence": "CC-BY-4.0",
    "visibility": "public",
    "consent": "on",
}
PATIENCE_SECONDS = 240.0
VERDICTS = "|".join(one.replace("_", ".") for one in Verdict)
JUDGED = re.compile(rf"State: imported.* What next 1 ({VERDICTS}) ")


@dataclass(frozen=True, slots=True)
class HandedIn:
    case: str
    problem: str
    page: str
    began: float

    @property
    def model(self) -> str:
        """A slug, and the name too."""
        return "run-" + self.case.replace("_", "-")


def source_folder(case: str) -> Path:
    found: Path
    (found,) = (path for kind in ("kernels", "measured") if (path := GOLDEN / kind / case).exists())
    return found


def environment(home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(REPOSITORY),
        "PTXBOARD_DATABASE_URL": f"sqlite:///{home}/ptxboard.sqlite3",
        "PTXBOARD_HOME": str(home),
    }


@contextmanager
def started(home: Path, output: Path) -> Iterator[Product]:
    with output.open("wb") as file:
        process = subprocess.Popen(  # noqa: S603 - our own product
            (sys.executable, "-P", "-m", "portal.quickstart", "--home", str(home)),
            env=environment(home),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
        )
    try:
        yield Product(home, str(home), output, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def staff(home: Path, *words: str) -> str:
    done = subprocess.run(  # noqa: S603 - our own command
        (sys.executable, str(REPOSITORY / "manage.py"), *words),
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    if done.returncode:
        raise SystemExit(f"manage.py {' '.join(words)}: {done.stderr[-2000:]}")
    return done.stdout.strip()


def words_of(page: str) -> str:
    """A page as it is read."""
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def wait_for(visitor: Visitor, path: str, found: Callable[[str], bool]) -> str:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not found(text := words_of(visitor.get(path).text)):
        if time.monotonic() > deadline:
            raise SystemExit(f"{path} says after {PATIENCE_SECONDS:.0f} s: {text}")
        time.sleep(0.2)
    return text


def signed_in(product: Product) -> Visitor:
    visitor = Visitor(product.address().rstrip("/"))
    (login,) = re.findall(r"sign in as author +(\S+) +password (\S+)", product.said())
    answer = visitor.post("/accounts/login/", {"login": login[0], "password": login[1]})
    if answer.status != 200:
        raise SystemExit(f"the author could not sign in: {answer.status} {words_of(answer.text)}")
    return visitor


def hand_in(author: Visitor, case: str) -> HandedIn:
    folder = source_folder(case)
    stated = tomllib.loads((folder / "case.toml").read_text())
    source = (folder / "kernel.cu").read_text() + "// handed in through the pages\n"
    answer = author.post("/submissions/new/", {"text": source, "name": f"{case}.cu"})
    page = re.search(r"/submissions/[0-9a-f-]{36}/", answer.text)
    if page is None:
        raise SystemExit(words_of(answer.text)[:2000])
    wait_for(author, page[0], lambda text: "State: understood" in text)
    made = HandedIn(case, stated["problem"], page[0], time.monotonic())
    said = {
        "model": made.model,
        "problem": made.problem,
        "target": stated["target"],
        **SAID,
    }
    confirmed = author.post(f"{made.page}confirm/", said, page=made.page)
    if confirmed.status != 200:
        raise SystemExit(words_of(confirmed.text)[:2000])
    return made


def accept(home: Path, handed: HandedIn) -> None:
    (line,) = (line for line in staff(home, "model", "list").splitlines() if handed.model in line)
    staff(home, "model", "add", handed.model, handed.model)
    print("staff:", staff(home, "model", "accept", line.split()[0], handed.model))


def row_of(visitor: Visitor, board: str, model: str) -> str:
    """The row of a model as a stranger reads it; empty where there is none."""
    page = visitor.get(board).text
    rows = re.findall(r"<tr\b.*?</tr>", page, re.DOTALL)
    return next((words_of(row) for row in rows if f"/models/{model}/" in row), "")


def boards_of(problem: str) -> tuple[str, ...]:
    places = ("correctness/hopper", "instruction/hopper", "speed/h200")
    return tuple(f"/boards/{place}/?problem={problem}&T=1" for place in places)


def left(product: Product) -> list[str]:
    mark = bytes(product.home)
    return [
        read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")[:120]
        for pid in living()
        if pid != os.getpid() and mark in read(pid, "cmdline")
    ]


def run(home: Path, cases: Sequence[str]) -> None:
    began = time.monotonic()
    with started(home, home / "said") as product:
        author = signed_in(product)
        print(f"up after {time.monotonic() - began:.1f} s")
        wait_for(author, "/status/", lambda text: "h200" in text.lower())
        print(f"a measure worker after {time.monotonic() - began:.1f} s")
        handed = [hand_in(author, case) for case in cases]
        for one in handed:
            text = wait_for(author, one.page, lambda text: bool(JUDGED.search(text)))
            print(f"\n{one.case}: {time.monotonic() - one.began:.1f} s from its confirmation")
            print("  ", text[text.index("State:") :][:1500])
        for one in handed:
            accept(home, one)
        stranger = Visitor(product.address().rstrip("/"))
        for one in handed:
            print()
            for board in boards_of(one.problem):
                print(f"{board}  {one.model}: {row_of(stranger, board, one.model) or 'no row'}")
        product.process.send_signal(signal.SIGINT)
        print(f"\nCtrl-C: exit code {product.exit_code()}, left: {left(product)}")


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("cases", nargs="*", default=CASES, metavar="CASE")
    options = parser.parse_args(arguments)
    run(options.home.resolve(), options.cases)


if __name__ == "__main__":
    main(sys.argv[1:])
