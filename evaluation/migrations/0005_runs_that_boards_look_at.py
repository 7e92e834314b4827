from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0004_attempts_that_wait'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='boards_due_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('boards_due_at__isnull', False)), fields=['boards_due_at'], name='run_due_on_boards'),
        ),
    ]
