"""The page for who runs the site names what the code reads and refuses."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PAGE = (REPOSITORY / "docs" / "operations.md").read_text()


def named_in_tables() -> set[str]:
    rows = re.findall(r"^\| (`[^|]+`) \|", PAGE, flags=re.MULTILINE)
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row)}


def test_every_setting_has_its_row_and_no_other() -> None:
    code = (REPOSITORY / "portal" / "env.py").read_text()
    read = set(re.findall(r"reader\.read\(\"([A-Z_]+)\"", code))
    pairs = {
        word for pair in re.findall(r"_pair\(reader, \"(\w+)\", \"(\w+)\"\)", code) for word in pair
    }
    assert {"DATABASE_URL", "GITHUB_ID"} <= read | pairs
    assert {one for one in named_in_tables() if one.isupper()} == read | pairs | {"HOME"}


def test_every_check_of_ours_has_its_row_and_no_other() -> None:
    code = (REPOSITORY / "portal" / "checks.py").read_text()
    ids = set(re.findall(r"id=\"(portal\.E\d+)\"", code))
    assert len(ids) == 5
    assert {one for one in named_in_tables() if one.startswith("portal.E")} == ids
