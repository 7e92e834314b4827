"""The whole product on one machine with a GPU: kernels handed in through its pages, judged, accepted, on the boards.

    PYTHONPATH=.:tests:tests/journeys python3 benchmarks/embedded_gpu.py HOME [CASE ...]

HOME is a state folder with the toolchain in it (bin/install-toolchain) and nothing else. The demo author pastes each
golden CASE as an upload of a model of its own, and hands in a run directory of five trajectories of two turns; staff
add the models and accept the entries; then boards are read as a stranger reads them (single kernels stand on the speed
board alone). Every verdict comes from this machine's GPU. Prints what pages say, and last what is left after Ctrl-C.
Ends with 1 where a row is not what was worked out by hand.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from embedded_product import REPOSITORY, Product
from processes_found import living, read
from site_visitor import File, Visitor
from small_run import run_directory

GOLDEN = REPOSITORY / "tests/golden"
CASES = (
    *("gemm_wgmma_tma", "gemm_mma_sync", "mha_fwd_wgmma_causal"),
    *("token_instruction", "one_wrong_element"),
)
GEMM = "gemm_n7168_k5120"
# Five trajectories of two turns. Correct are 8 of 10 turns, with WGMMA 5 of 10; solved are 5 and 4 of 5 trajectories.
RUN = (
    ("gemm_mma_sync", "gemm_wgmma_tma"),
    ("half_of_the_tiles", "gemm_wgmma_tma"),
    ("gemm_mma_sync", "gemm_mma_sync"),
    ("gemm_wgmma_tma", "gemm_wgmma_tma"),
    ("does_not_build", "gemm_wgmma_tma"),
)
RUN_MODEL = "demo-model"
RUN_ROWS = (
    ("correctness/hopper", "8 of 10 turns"),
    ("correctness/hopper", "5 of 5 trajectories"),
    ("instruction/hopper", "5 of 10 turns"),
    ("instruction/hopper", "4 of 5 trajectories"),
    ("speed/h200", "8 of 10 turns"),
)
# Of single kernels that are not simply right: a held one stands nowhere.
SINGLE_ROWS = {"token_instruction": "", "one_wrong_element": "0 of 1 turn"}
SAID = {
    "prompts": "1",
    "trajectories": "1",
    "licence": "CC-BY-4.0",
    "visibility": "public",
    "consent": "on",
}
PATIENCE_SECONDS = 240.0
# What a page says of a turn before its verdict.
PENDING = re.compile(r" (waiting|preparing|ready|measuring)\b[ ,]")


@dataclass(frozen=True, slots=True)
class HandedIn:
    """``began``: by the monotonic clock, when it was confirmed."""

    name: str
    problem: str
    model: str
    page: str
    began: float


def source_folder(case: str) -> Path:
    """Where a golden kernel lies that is to be measured."""
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


def source(case: str, said: str) -> str:
    """Give a golden kernel with a line of its own, so that it is nobody's but the author's."""
    if case == "does_not_build":
        return f"// {said}\nno C++ at all\n"
    return f"{(source_folder(case) / 'kernel.cu').read_text()}// {said}\n"


def one_kernel(author: Visitor, case: str) -> HandedIn:
    stated = tomllib.loads((source_folder(case) / "case.toml").read_text())
    form = {"text": source(case, "handed in through the pages"), "name": f"{case}.cu"}
    model = "run-" + case.replace("_", "-")
    said = {"problem": stated["problem"], "target": stated["target"], "turns": "1", **SAID}
    return confirmed(author, form, case, {"model": model, **said})


def whole_run(author: Visitor) -> HandedIn:
    kernels = [
        [source(case, f"trajectory {number}, turn {turn}") for turn, case in enumerate(cases)]
        for number, cases in enumerate(RUN)
    ]
    form = {"file": File("run.zip", run_directory(GEMM, kernels))}
    shape = {"trajectories": str(len(RUN)), "turns": str(len(RUN[0]))}
    said = {"model": RUN_MODEL, "problem": GEMM, **SAID, **shape}
    return confirmed(author, form, "run.zip", said)


def confirmed(
    author: Visitor, form: Mapping[str, str | File], name: str, said: Mapping[str, str]
) -> HandedIn:
    """Hand something in, and confirm what was understood of it."""
    answer = author.post("/submissions/new/", form)
    page = re.search(r"/submissions/[0-9a-f-]{36}/", answer.text)
    if page is None:
        raise SystemExit(words_of(answer.text)[:2000])
    wait_for(author, page[0], lambda text: "State: understood" in text)
    done = author.post(f"{page[0]}confirm/", said, page=page[0])
    if done.status != 200:
        raise SystemExit(words_of(done.text)[:2000])
    return HandedIn(name, said["problem"], said["model"], page[0], time.monotonic())


def is_judged(page: str) -> bool:
    """Every turn that the page lists has a verdict."""
    return "State: imported" in page and not PENDING.search(page)


def accept(home: Path, handed: HandedIn) -> None:
    proposed = staff(home, "model", "list").splitlines()
    (line,) = (line for line in proposed if line.endswith(handed.model))
    staff(home, "model", "add", handed.model, handed.model)
    print("staff:", staff(home, "model", "accept", line.split()[0], handed.model))


def row_of(visitor: Visitor, board: str, model: str) -> str:
    """The row of a model as a stranger reads it; empty where there is none."""
    page = visitor.get(board).text
    rows = re.findall(r"<tr\b.*?</tr>", page, re.DOTALL)
    return next((words_of(row) for row in rows if f"/models/{model}/" in row), "")


def left(product: Product) -> list[str]:
    mark = bytes(product.home)
    return [
        read(pid, "cmdline").replace(b"\0", b" ").decode(errors="replace")[:120]
        for pid in living()
        if pid not in {os.getpid(), os.getppid()} and mark in read(pid, "cmdline")
    ]


def run(home: Path, cases: Sequence[str]) -> bool:
    """Say whether every row and the end were as expected."""
    began = time.monotonic()
    with started(home, home / "said") as product:
        author = signed_in(product)
        print(f"up after {time.monotonic() - began:.1f} s")
        handed = [*(one_kernel(author, case) for case in cases), whole_run(author)]
        for one in handed:
            text = wait_for(author, one.page, is_judged)
            print(
                f"\n{one.name}: verdicts {time.monotonic() - one.began:.1f} s after it was confirmed"
            )
            print("  ", text[text.index("State:") : text.index("What was understood")])
        for one in handed:
            accept(home, one)
        stranger = Visitor(product.address().rstrip("/"))
        print()
        rows = [
            said_row(
                stranger,
                f"/boards/speed/h200/?problem={one.problem}&T=1",
                one.model,
                SINGLE_ROWS.get(one.name, "1 of 1 turn"),
            )
            for one in handed[:-1]
        ]
        rows += [
            said_row(stranger, f"/boards/{place}/?problem={GEMM}&T=2", RUN_MODEL, words)
            for place, words in RUN_ROWS
        ]
        product.process.send_signal(signal.SIGINT)
        ended, still_there = product.exit_code(), left(product)
        print(f"\nCtrl-C: exit code {ended}, left: {still_there}")
        return all(rows) and ended == 0 and not still_there


def said_row(visitor: Visitor, board: str, model: str, words: str) -> bool:
    """Print the row of a model, and whether these words stand in it; without words there must be no row."""
    row = row_of(visitor, board, model)
    as_expected = words in row if words else not row
    print(f"{board}  {model}: {row or 'no row'}{'' if as_expected else '   NOT AS EXPECTED'}")
    return as_expected


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("cases", nargs="*", default=CASES, metavar="CASE")
    options = parser.parse_args(arguments)
    return int(not run(options.home.resolve(), options.cases))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
