"""The columns of the lists of models and of their entries."""

from leaderboard.views.arrangement import ListColumn, ListColumns

MODEL_COLUMNS = ListColumns(
    (
        ListColumn("name", "Name", stands=True),
        ListColumn("track", "Track"),
        ListColumn("released", "Released", largest_first=True),
        ListColumn("entries", "Public entries", is_figure=True, largest_first=True),
        ListColumn("published", "Published values", is_figure=True, largest_first=True),
    ),
    natural="name",
)
# The first one shows prompts × trajectories × turns, each of which orders.
ENTRY_COLUMNS = ListColumns(
    (
        ListColumn("entry", "Entry", orders=False, stands=True),
        ListColumn("harness", "Harness"),
        ListColumn("pack", "Pack"),
        ListColumn("effort", "Effort"),
        ListColumn("language", "Language"),
        ListColumn("author", "Author known by"),
        ListColumn("created", "Handed in", largest_first=True),
        ListColumn("prompts", "Prompts", largest_first=True, has_head=False),
        ListColumn("trajectories", "Trajectories", largest_first=True, has_head=False),
        ListColumn("turns", "Turns", largest_first=True, has_head=False),
    ),
    natural="created",
)
