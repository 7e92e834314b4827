"""The columns of the list of one's own submissions, and what the database orders it by."""

from collections.abc import Mapping

from django.db.models import Case, F, Value, When
from django.db.models.functions import Lower, NullIf

from leaderboard.selectors.list_order import Sortable
from leaderboard.views.arrangement import ListColumn, ListColumns
from portal.uploads.submission_words import SubmissionState

SUBMISSION_COLUMNS = ListColumns(
    (
        ListColumn("file", "File", stands=True),
        ListColumn("state", "State"),
        ListColumn("trajectories", "Trajectories", largest_first=True),
        ListColumn("size", "Size", is_figure=True, largest_first=True),
        ListColumn("created", "Handed in", largest_first=True),
    ),
    natural="created",
)
ORDERED_BY: Mapping[str, Sortable] = {
    "file": Lower("file_name"),
    # By how far it is: the words stand in that order.
    "state": Case(
        *(When(state=one.value, then=Value(place)) for place, one in enumerate(SubmissionState))
    ),
    "trajectories": NullIf(F("total"), Value(0)),  # nothing is counted there
    "size": F("size"),
    "created": F("created_at"),
}
