from django.db import migrations


class Migration(migrations.Migration):
    """Provenance is of a value; every entry was an upload."""

    dependencies = [
        ("evaluation", "0005_runs_that_boards_look_at"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="entry", name="entry_provenance_is_a_word"),
        migrations.RemoveField(model_name="entry", name="provenance"),
    ]
