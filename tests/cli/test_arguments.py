"""Words that are none end with 2 and the usage; everything else about arguments is in the help."""

from pathlib import Path

import pytest
from cli_run import ASKED, Cli, cli_in

from evaluation.cli import exit_codes


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    return cli_in(tmp_path, capsys, monkeypatch)


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("guess",),
        ("judge",),
        ("judge", "kernel.cu"),
        ("judge", "kernel.cu", "--problem", "gemm_n7168_k5120"),
        ("judge", "kernel.cu", "--problem", "gemm_n7168_k5120", "--target", "volta"),
        ("judge", "kernel.cu", *ASKED, "--js"),  # an abbreviation
        ("judge", "kernel.cu", "more.cu", *ASKED),
        ("record", "kernel.cu", *ASKED, "--json"),
        ("plan",),
        ("plan", "hide", "plan.json"),
        ("doctor", "now"),
    ],
    ids=" ".join,
)
def test_wrong_words_end_with_2_and_the_usage(cli: Cli, words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.run(*words)
    assert ended.value.code == exit_codes.USAGE
    out, err = cli.capsys.readouterr()
    assert out == ""
    assert err.startswith("usage: ptxboard")


def test_the_version_names_judge_and_schema(cli: Cli) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.run("--version")
    assert ended.value.code == 0
    assert cli.capsys.readouterr().out == "ptxboard, judge 1, schema 2\n"


def test_the_help_lists_every_exit_code(cli: Cli) -> None:
    with pytest.raises(SystemExit):
        cli.run("--help")
    text = cli.capsys.readouterr().out.partition("exit codes: ")[2].partition("first steps")[0]
    codes = {int(word) for word in text.replace(",", " ").split() if word.isdigit()}
    stated = {value for value in vars(exit_codes).values() if isinstance(value, int)}
    assert codes == stated | set(exit_codes.BY_VERDICT.values())


@pytest.mark.parametrize("place", [0, 1])
def test_the_state_folder_can_be_named_before_or_after_the_command(cli: Cli, place: int) -> None:
    (cli.folder / "file").write_bytes(b"")
    words = ["doctor", "--json"]
    words[place:place] = ["--home", str(cli.folder / "file/home")]
    ran = cli.run(*words)
    assert ran.code == exit_codes.UNAVAILABLE
    assert f"{cli.folder}/file/home" in ran.out
