from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0002_runs_are_shared"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="turn",
            name="turn_has_a_kernel_or_says_what_is_missing",
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kernel__isnull", False), ("missing__in", ["", "scrubbed"])),
                    models.Q(
                        models.Q(("kernel__isnull", False), _negated=True),
                        models.Q(("missing__in", ["", "scrubbed"]), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="turn_has_a_kernel_or_says_what_is_missing",
            ),
        ),
    ]
