from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0003_what_a_turn_is_missing'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='ending',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='attempt',
            name='lost',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='run',
            name='not_before',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name='attempt',
            index=models.Index(fields=['half', 'sent_at'], name='attempt_by_time_sent'),
        ),
    ]
