from django.db import migrations, models


class Migration(migrations.Migration):
    """The project’s own samples were marked as attested by a model’s organisation, which they never were."""

    dependencies = [
        ("evaluation", "0008_kernels_that_were_noted"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="entry_authorship_is_a_word"),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                name="entry_authorship_is_a_word",
                condition=models.Q(
                    ("authorship__in", ["project", "attested", "harness_log", "uploader"])
                ),
            ),
        ),
    ]
