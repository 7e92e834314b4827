"""What the command says where it does not start; nothing is started for that."""

from pathlib import Path

import pytest

from portal.quickstart.command import main


def test_a_wrong_setting_is_named_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["--home", str(tmp_path / "home")], {"PTXBOARD_NONSENSE": "1"})
    assert code == 69
    assert capsys.readouterr().err == (
        "serve: the environment is wrong; mend or unset:\n"
        "serve:   PTXBOARD_NONSENSE: there is no such setting\n"
    )
    assert not (tmp_path / "home").exists()


def test_a_state_folder_that_cannot_be_is_refused_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main(["--home", str(tmp_path / "file")], {}) == 69
    assert capsys.readouterr().err == (
        f"serve: cannot use the state folder {tmp_path}/file: Not a directory\n"
        "serve: name a folder that this user may write with --home or PTXBOARD_HOME\n"
    )


@pytest.mark.parametrize("port", ["0", "65536", "-1", "80a", "٣"])
def test_what_is_no_port_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["--port", port], {})
    assert refused.value.code == 2
    assert "--port" in capsys.readouterr().err
