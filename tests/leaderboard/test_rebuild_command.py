import re
from io import StringIO

import judged_rows as rows
import pytest
from django.core.management import call_command

from leaderboard.models import Board


@pytest.mark.django_db
def test_the_command_makes_the_boards_and_prints_counts_and_seconds() -> None:
    rows.judged(["p---"] * 5)
    said = StringIO()
    call_command("rebuild_standings", stdout=said)
    assert Board.objects.count() == 3
    assert re.fullmatch(
        r"1 entry: 6 rows on 3 boards, 1 record; 6 rows written, 0 taken away, in \d+\.\d s\n",
        said.getvalue(),
    )


@pytest.mark.django_db
def test_no_migration_of_the_boards_is_forgotten() -> None:
    call_command("makemigrations", "leaderboard", check=True, dry_run=True, verbosity=0)
