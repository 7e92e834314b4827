"""Read the first rows of a board, and its turn limits, from an index instead of from all rows of the board."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0002_ranked_rows_have_an_interval")]

    operations = [
        migrations.AddIndex(
            model_name="standing",
            index=models.Index(
                fields=["board", "provenance", "-turn_limit", "position", "unranked_why"],
                name="standing_in_order",
            ),
        ),
        migrations.RemoveIndex(model_name="standing", name="standing_by_place"),
    ]
