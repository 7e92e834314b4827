from django.db import migrations


class Migration(migrations.Migration):
    """Staff’s pages said entrys, trajectorys and queue switchs; no column changes."""

    dependencies = [
        ("evaluation", "0009_entries_of_the_project"),
    ]

    operations = [
        migrations.AlterModelOptions(name="entry", options={"verbose_name_plural": "entries"}),
        migrations.AlterModelOptions(
            name="queueswitch", options={"verbose_name_plural": "queue switches"}
        ),
        migrations.AlterModelOptions(
            name="trajectory", options={"verbose_name_plural": "trajectories"}
        ),
    ]
