"""Staff hold and clear kernels on the command line, and are told why where that is not possible."""

from io import StringIO

import evaluation_rows as rows
import pytest
from django.core.management import CommandError, call_command

from evaluation.models import Hold, Kernel

pytestmark = pytest.mark.django_db

GEMM = "gemm_n4096_k4096"
WHY = ("--why", "It reads the clock.", "--by", "staff")


def said(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def written() -> Kernel:
    kernel = rows.turn().kernel
    assert kernel is not None
    return kernel


def test_a_kernel_is_held_listed_and_cleared() -> None:
    kernel = written()
    short = kernel.sha256[:64]
    assert said("hold", short, GEMM, "hopper", *WHY) == (
        f"held {kernel.sha256[:12]} at {GEMM} for hopper\n"
    )
    (line,) = said("holds").splitlines()
    assert line.endswith(f"{kernel.sha256}  {GEMM}  hopper  staff  It reads the clock.")
    said("clear_hold", short, GEMM, "hopper", "--note", "Only a timer.", "--by", "boss")
    hold = Hold.objects.get(kernel=kernel)
    assert (hold.state, hold.placed_by, hold.decided_by, hold.note) == (
        "cleared",
        "staff",
        "boss",
        "Only a timer.",
    )
    assert said("holds") == "nothing is held\n"


def test_strikes_are_listed_apart() -> None:
    hold = rows.hold(state="struck", decided_at=rows.AT, decided_by="staff")
    assert said("holds") == "nothing is held\n"
    assert hold.kernel.sha256 in said("holds", "--struck")


def test_a_reason_cannot_write_to_the_terminal() -> None:
    rows.hold(why="red \x1b[31m\nand a second line")
    assert said("holds").endswith("red  [31m and a second line\n")


def test_the_beginning_of_a_hash_is_enough_where_it_is_one_kernel_s() -> None:
    first = rows.artifact(sha256="abcdef01" + "0" * 56)
    second = rows.artifact(sha256="abcdef01" + "1" * 56)
    rows.turn(kernel=rows.kernel(artifact=first))
    said("hold", "abcdef01", GEMM, "hopper", *WHY)
    rows.turn(kernel=rows.kernel(artifact=second))
    with pytest.raises(CommandError, match="more than one kernel"):
        said("hold", "abcdef01", GEMM, "hopper", *WHY)


@pytest.mark.parametrize(
    ("sha256", "sentence"),
    [("xyz", "is no hash"), ("abc", "is no hash"), ("0" * 63 + "f", "no kernel has the hash")],
    ids=["no hex", "too short", "unknown"],
)
def test_a_hash_that_names_no_kernel_is_refused(sha256: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        said("hold", sha256, GEMM, "hopper", *WHY)


def test_a_problem_that_the_kernel_was_not_written_for_is_refused() -> None:
    with pytest.raises(CommandError, match="nobody wrote this kernel for gemm_typo on hopper"):
        said("hold", written().sha256, "gemm_typo", "hopper", *WHY)


def test_what_is_held_cannot_be_held_again_and_what_is_not_held_cannot_be_cleared() -> None:
    kernel = written()
    with pytest.raises(CommandError, match="is not held at"):
        said("clear_hold", kernel.sha256, GEMM, "hopper", "--note", "Fine.", "--by", "boss")
    said("hold", kernel.sha256, GEMM, "hopper", *WHY)
    with pytest.raises(CommandError, match="held or struck there already"):
        said("hold", kernel.sha256, GEMM, "hopper", *WHY)


def test_an_empty_reason_is_refused_in_words() -> None:
    kernel = written()
    with pytest.raises(CommandError, match="--why is empty"):
        said("hold", kernel.sha256, GEMM, "hopper", "--why", " ", "--by", "staff")
    with pytest.raises(CommandError, match="--by is empty"):
        said("clear_hold", kernel.sha256, GEMM, "hopper", "--note", "Fine.", "--by", "")
