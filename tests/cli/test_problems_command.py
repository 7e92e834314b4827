"""ptxboard problems: what there is to solve."""

import json
from pathlib import Path

import pytest
from cli_run import Cli, cli_in


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


def test_every_problem_is_listed_ranked_ones_first(cli: Cli) -> None:
    ran = cli.run("problems")
    assert ran.code == 0
    head, *rows = ran.out.splitlines()
    assert head.split() == ["problem", "ranked", "TFLOP", "input", "GB", "title"]
    ranked = [row.split()[1] for row in rows]
    assert ranked == ["yes"] * 5 + ["no"] * (len(rows) - 5)
    assert rows[0].startswith(
        "gemm_n7168_k5120           yes        0.601     0.157  GEMM 8192 x 7168"
    )


def test_one_problem_is_printed_with_what_a_kernel_has_to_take(cli: Cli) -> None:
    ran = cli.run("problems", "gemm_n7168_k5120")
    assert ran.code == 0
    assert "  formula    C[m,n] = sum over k of A[m,k] * B[n,k]\n" in ran.out
    assert ran.out.endswith("""\
  run(
    in   A    bfloat16 8192 x 5120
    in   B    bfloat16 7168 x 5120
    out  C    bfloat16 8192 x 7168
  )
""")


def test_json_holds_the_same_problems_with_units_in_their_names(cli: Cli) -> None:
    rows = json.loads(cli.run("problems", "--json").out)
    assert len(rows) == len(cli.run("problems").out.splitlines()) - 1
    (row,) = (one for one in rows if one["name"] == "gemm_n7168_k5120")
    assert row["flops"] == 601_295_421_440
    assert (row["input_bytes"], row["output_bytes"]) == (157_286_400, 117_440_512)
    assert row["families"] == {"blackwell": ["tcgen05"], "hopper": ["gmma", "tma"]}
    assert row["arguments"][2] == {
        "name": "C",
        "output": True,
        "dtype": "bfloat16",
        "shape": [8192, 7168],
    }


def test_a_problem_that_is_none_is_answered_with_the_ones_there_are(cli: Cli) -> None:
    ran = cli.run("problems", "gemm", "--json")
    assert (ran.code, ran.out) == (65, "")
    assert ran.err.startswith("ptxboard: problems: gemm: there is no such problem; ")
    assert "mha_bwd_d128" in ran.err
