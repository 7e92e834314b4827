from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("evaluation", "0001_first_rows"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="shared",
            field=models.BooleanField(default=False),
        ),
    ]
