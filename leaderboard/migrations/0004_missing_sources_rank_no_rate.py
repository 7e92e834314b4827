"""A rate that turns left because their source was not sent is shown and not ranked, and says so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0003_standing_in_order")]

    operations = [
        migrations.RemoveConstraint(model_name="standing", name="standing_reason_is_a_word"),
        migrations.AddConstraint(
            model_name="standing",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "unranked_why__in",
                        [
                            "not_verified",
                            "model_not_accepted",
                            "problem_not_ranked",
                            "nothing_counted",
                            "suite_incomplete",
                            "provisional",
                            "source_missing",
                            "few_trajectories",
                            "no_interval",
                            "",
                        ],
                    )
                ),
                name="standing_reason_is_a_word",
            ),
        ),
    ]
