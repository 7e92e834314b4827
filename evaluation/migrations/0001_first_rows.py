import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Artifact",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("size", models.BigIntegerField()),
                ("kind", models.CharField(max_length=40)),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("sha256"), 64
                        ),
                        name="artifact_has_a_whole_hash",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("size__gte", 0)), name="artifact_size_is_no_less_than_0"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Device",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("product", models.CharField(max_length=40)),
                ("uuid_digest", models.CharField(max_length=64, unique=True)),
                ("driver", models.CharField(blank=True, default="", max_length=40)),
                ("resting", models.CharField(blank=True, default="", max_length=500)),
                ("last_heard_at", models.DateTimeField()),
                ("seen", models.TextField(blank=True, default="")),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=django.db.models.lookups.Exact(
                            django.db.models.functions.text.Length("uuid_digest"), 64
                        ),
                        name="device_has_a_whole_digest",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Kernel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64)),
                ("language", models.CharField(max_length=16)),
                ("size", models.BigIntegerField()),
                (
                    "artifact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("problem", models.CharField(max_length=80)),
                ("target", models.CharField(max_length=16)),
                ("placed_at", models.DateTimeField()),
                ("placed_by", models.CharField(blank=True, default="", max_length=64)),
                ("why", models.CharField(max_length=1000)),
                ("source", models.CharField(max_length=16)),
                ("state", models.CharField(default="open", max_length=16)),
                ("decided_at", models.DateTimeField(blank=True, null=True)),
                ("decided_by", models.CharField(blank=True, default="", max_length=64)),
                ("note", models.CharField(blank=True, default="", max_length=1000)),
                (
                    "kernel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="holds",
                        to="evaluation.kernel",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Model",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80, unique=True)),
                ("name", models.CharField(max_length=120)),
                ("track", models.CharField(max_length=16)),
                ("released_on", models.DateField(blank=True, null=True)),
                ("owner", models.CharField(blank=True, default="", max_length=64)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("track__in", ["human", "agent", "model"])),
                        name="model_track_is_a_word",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Entry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("proposed_model", models.CharField(blank=True, default="", max_length=200)),
                ("owner", models.CharField(blank=True, db_index=True, default="", max_length=64)),
                ("harness", models.CharField(blank=True, default="", max_length=80)),
                ("harness_version", models.CharField(blank=True, default="", max_length=40)),
                ("pack", models.CharField(blank=True, default="", max_length=80)),
                ("language", models.CharField(max_length=16)),
                ("reasoning_effort", models.CharField(blank=True, default="", max_length=40)),
                ("prompts", models.PositiveIntegerField(default=1)),
                ("trajectories", models.PositiveIntegerField(default=1)),
                ("turns", models.PositiveIntegerField(default=1)),
                ("provenance", models.CharField(default="upload", max_length=16)),
                ("authorship", models.CharField(default="uploader", max_length=16)),
                ("visibility", models.CharField(default="private", max_length=16)),
                ("embargo_until", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
                ("withdrawn_reason", models.CharField(blank=True, default="", max_length=500)),
                ("licence", models.CharField(blank=True, default="", max_length=80)),
                ("single_kernel", models.BooleanField(default=False)),
                ("digest", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
                (
                    "model",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="entries",
                        to="evaluation.model",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ModelAlias",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("alias", models.CharField(max_length=200, unique=True)),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="aliases",
                        to="evaluation.model",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PaperCell",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("publication", models.CharField(max_length=80)),
                ("target", models.CharField(max_length=16)),
                ("device", models.CharField(max_length=40)),
                ("problem", models.CharField(max_length=80)),
                ("experiment", models.CharField(max_length=200)),
                ("main", models.BooleanField(default=False)),
                ("metric", models.CharField(max_length=24)),
                ("turn_limit", models.PositiveIntegerField()),
                ("numerator", models.PositiveIntegerField(blank=True, null=True)),
                ("denominator", models.PositiveIntegerField(blank=True, null=True)),
                ("value", models.FloatField(blank=True, null=True)),
                ("evidence", models.CharField(blank=True, default="", max_length=40)),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="paper_cells",
                        to="evaluation.model",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="QueueSwitch",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("queue", models.CharField(max_length=80, unique=True)),
                ("paused_at", models.DateTimeField(blank=True, null=True)),
                ("by", models.CharField(blank=True, default="", max_length=64)),
                ("why", models.CharField(blank=True, default="", max_length=500)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            ("paused_at__isnull", True),
                            models.Q(("why", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="queue_says_why_it_is_paused",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("problem", models.CharField(max_length=80)),
                ("problem_version", models.PositiveIntegerField()),
                ("target", models.CharField(max_length=16)),
                ("device_wanted", models.CharField(blank=True, default="", max_length=40)),
                ("device", models.CharField(blank=True, default="", max_length=40)),
                ("judge", models.CharField(max_length=20)),
                ("language", models.CharField(max_length=16)),
                ("owner", models.CharField(blank=True, default="", max_length=64)),
                ("priority", models.SmallIntegerField(default=0)),
                ("applied", models.BooleanField(default=True)),
                ("state", models.CharField(default="waiting", max_length=16)),
                ("waits_for", models.CharField(blank=True, default="", max_length=200)),
                ("verdict", models.CharField(blank=True, default="", max_length=24)),
                ("correct", models.CharField(default="unknown", max_length=16)),
                ("family", models.CharField(default="unknown", max_length=32)),
                ("matrix_path", models.CharField(default="unknown", max_length=16)),
                ("coverage", models.FloatField(blank=True, null=True)),
                ("executed_share", models.FloatField(blank=True, null=True)),
                ("ratio", models.FloatField(blank=True, null=True)),
                ("ratio_low", models.FloatField(blank=True, null=True)),
                ("ratio_high", models.FloatField(blank=True, null=True)),
                ("candidate_ns", models.BigIntegerField(blank=True, null=True)),
                ("vendor_ns", models.BigIntegerField(blank=True, null=True)),
                ("speed_reason", models.CharField(blank=True, default="", max_length=500)),
                ("integrity", models.CharField(default="clear", max_length=16)),
                ("lane", models.CharField(default="recorded", max_length=16)),
                ("losses", models.PositiveIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("scan_family", models.CharField(default="unknown", max_length=32)),
                ("bulk_rows", models.PositiveIntegerField(default=0)),
                ("gpu_seconds", models.FloatField(default=0)),
                ("created_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "cubin",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
                (
                    "facts",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
                (
                    "kernel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="evaluation.kernel",
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("half", models.CharField(max_length=16)),
                ("number", models.PositiveIntegerField()),
                ("queue", models.CharField(max_length=80)),
                ("key_digest", models.CharField(max_length=64)),
                ("state", models.CharField(default="sent", max_length=16)),
                ("worker", models.CharField(blank=True, default="", max_length=128)),
                ("device", models.CharField(blank=True, default="", max_length=40)),
                ("sent_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("ended_why", models.CharField(blank=True, default="", max_length=500)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="evaluation.run",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StageReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("stage", models.CharField(max_length=16)),
                ("verdict", models.CharField(blank=True, default="", max_length=24)),
                ("headline", models.CharField(max_length=500)),
                ("reported_at", models.DateTimeField()),
                ("body", models.TextField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reports",
                        to="evaluation.attempt",
                    ),
                ),
                (
                    "log",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Signal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("place", models.PositiveIntegerField()),
                ("stage", models.CharField(max_length=16)),
                ("rule", models.CharField(max_length=48)),
                ("version", models.PositiveIntegerField(default=1)),
                ("severity", models.CharField(max_length=16)),
                ("said", models.CharField(max_length=1000)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="signals",
                        to="evaluation.run",
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="signals",
                        to="evaluation.stagereport",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Trajectory",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("problem", models.CharField(max_length=80)),
                ("problem_version", models.PositiveIntegerField()),
                ("target", models.CharField(max_length=16)),
                ("reported_device", models.CharField(blank=True, default="", max_length=40)),
                ("prompt", models.PositiveIntegerField(default=0)),
                ("number", models.PositiveIntegerField(default=0)),
                ("ending", models.CharField(default="unknown", max_length=16)),
                (
                    "document",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="trajectory_rows",
                        to="evaluation.entry",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Turn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("missing", models.CharField(blank=True, default="", max_length=20)),
                ("missing_said", models.CharField(blank=True, default="", max_length=500)),
                ("event", models.CharField(blank=True, default="", max_length=40)),
                ("prompt_tokens", models.BigIntegerField(blank=True, null=True)),
                ("completion_tokens", models.BigIntegerField(blank=True, null=True)),
                ("reasoning_tokens", models.BigIntegerField(blank=True, null=True)),
                ("cost_usd", models.FloatField(blank=True, null=True)),
                ("at", models.DateTimeField(blank=True, null=True)),
                (
                    "kernel",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="turns",
                        to="evaluation.kernel",
                    ),
                ),
                (
                    "reply",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="evaluation.artifact",
                    ),
                ),
                (
                    "trajectory",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="turns",
                        to="evaluation.trajectory",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ReportedResult",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("status", models.CharField(max_length=60)),
                ("correct", models.BooleanField(blank=True, null=True)),
                ("speedup", models.FloatField(blank=True, null=True)),
                ("latency_us", models.FloatField(blank=True, null=True)),
                ("reference_us", models.FloatField(blank=True, null=True)),
                ("device", models.CharField(blank=True, default="", max_length=80)),
                ("workloads", models.PositiveIntegerField(default=1)),
                (
                    "turn",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reported",
                        to="evaluation.turn",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Worker",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=128, unique=True)),
                ("queue", models.CharField(max_length=80)),
                ("device", models.CharField(blank=True, default="", max_length=40)),
                ("last_heard_at", models.DateTimeField()),
                ("resting", models.CharField(blank=True, default="", max_length=500)),
                ("schema", models.PositiveIntegerField()),
                ("judge", models.CharField(max_length=20)),
                ("draining", models.BooleanField(default=False)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["queue", "last_heard_at"], name="worker_by_queue")
                ],
            },
        ),
        migrations.AddConstraint(
            model_name="kernel",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ["cuda", "triton"])),
                name="kernel_language_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="kernel",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    django.db.models.functions.text.Length("sha256"), 64
                ),
                name="kernel_has_a_whole_hash",
            ),
        ),
        migrations.AddConstraint(
            model_name="kernel",
            constraint=models.UniqueConstraint(
                fields=("sha256", "language"), name="kernel_is_kept_once_a_language"
            ),
        ),
        migrations.AddConstraint(
            model_name="kernel",
            constraint=models.CheckConstraint(
                condition=models.Q(("size__gte", 0)), name="kernel_size_is_no_less_than_0"
            ),
        ),
        migrations.AddIndex(
            model_name="hold",
            index=models.Index(fields=["state", "placed_at"], name="hold_by_state"),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(("target__in", ["hopper", "blackwell"])),
                name="hold_target_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["signal", "staff"])),
                name="hold_source_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["open", "cleared", "struck"])),
                name="hold_state_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(("why", ""), _negated=True), name="hold_says_why"
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "open"), ("decided_at__isnull", True)),
                    models.Q(
                        models.Q(("state", "open"), _negated=True),
                        models.Q(("decided_at__isnull", True), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="hold_is_open_exactly_when_undecided",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_by", ""), ("decided_at__isnull", True)),
                    models.Q(
                        models.Q(("decided_by", ""), _negated=True),
                        models.Q(("decided_at__isnull", True), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="hold_decision_has_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["open", "struck"])),
                fields=("kernel", "problem", "target"),
                name="hold_acts_once",
            ),
        ),
        migrations.AddIndex(
            model_name="entry",
            index=models.Index(fields=["visibility", "embargo_until"], name="entry_by_visibility"),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ["cuda", "triton"])),
                name="entry_language_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("provenance__in", ["upload", "paper"])),
                name="entry_provenance_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("authorship__in", ["attested", "harness_log", "uploader"])),
                name="entry_authorship_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(("visibility__in", ["private", "embargoed", "public"])),
                name="entry_visibility_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    django.db.models.functions.text.Length("digest"), 64
                ),
                name="entry_has_a_whole_digest",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.UniqueConstraint(
                fields=("owner", "digest"), name="entry_is_handed_in_once_by_an_owner"
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("model__isnull", False),
                    models.Q(("proposed_model", ""), _negated=True),
                    _connector="OR",
                ),
                name="entry_has_or_proposes_a_model",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("prompts__gte", 1), ("trajectories__gte", 1), ("turns__gte", 1)
                ),
                name="entry_layout_counts_from_1",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("single_kernel", False),
                    models.Q(("prompts", 1), ("trajectories", 1), ("turns", 1)),
                    _connector="OR",
                ),
                name="entry_single_kernel_has_one_turn",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("visibility", "embargoed"), ("embargo_until__isnull", False)),
                    models.Q(
                        models.Q(("visibility", "embargoed"), _negated=True),
                        models.Q(("embargo_until__isnull", False), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="entry_has_a_date_exactly_when_embargoed",
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("withdrawn_reason", ""), ("withdrawn_at__isnull", True)),
                    models.Q(
                        models.Q(("withdrawn_reason", ""), _negated=True),
                        models.Q(("withdrawn_at__isnull", True), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="entry_has_a_reason_exactly_when_withdrawn",
            ),
        ),
        migrations.AddConstraint(
            model_name="modelalias",
            constraint=models.CheckConstraint(
                condition=models.Q(("alias", ""), _negated=True), name="model_alias_is_not_empty"
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.CheckConstraint(
                condition=models.Q(("target__in", ["hopper", "blackwell"])),
                name="paper_target_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "metric__in",
                        [
                            "solved_by",
                            "target_solved_by",
                            "best_speedup",
                            "correct_at",
                            "target_correct_at",
                        ],
                    )
                ),
                name="paper_metric_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("value__isnull", True),
                    models.Q(("value__gte", 0), ("value__lte", 1000000000000.0)),
                    _connector="OR",
                ),
                name="paper_value_is_finite",
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.CheckConstraint(
                condition=models.Q(("turn_limit__gte", 1)), name="paper_turn_limit_counts_from_1"
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("metric", "best_speedup"), ("numerator__isnull", True)),
                    models.Q(
                        models.Q(("metric", "best_speedup"), _negated=True),
                        ("denominator__gte", 1),
                        ("denominator__isnull", False),
                        ("numerator__isnull", False),
                        ("numerator__lte", models.F("denominator")),
                    ),
                    _connector="OR",
                ),
                name="paper_rate_has_both_counts",
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.UniqueConstraint(
                fields=(
                    "publication",
                    "model",
                    "target",
                    "device",
                    "problem",
                    "experiment",
                    "metric",
                    "turn_limit",
                    "evidence",
                ),
                name="paper_value_is_kept_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="papercell",
            constraint=models.UniqueConstraint(
                condition=models.Q(("main", True)),
                fields=(
                    "publication",
                    "model",
                    "target",
                    "device",
                    "problem",
                    "metric",
                    "turn_limit",
                    "evidence",
                ),
                name="paper_has_one_main_value",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["state", "-priority", "created_at"], name="run_by_state"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                fields=["kernel", "problem", "problem_version", "target", "judge"],
                name="run_by_kernel",
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(fields=["owner", "state"], name="run_by_owner"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        [
                            "waiting",
                            "preparing",
                            "ready",
                            "measuring",
                            "finished",
                            "abandoned",
                            "cancelled",
                        ],
                    )
                ),
                name="run_state_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("target__in", ["hopper", "blackwell"])),
                name="run_target_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("language__in", ["cuda", "triton"])),
                name="run_language_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "verdict__in",
                        [
                            "accepted",
                            "wrong_result",
                            "memory_fault",
                            "runtime_error",
                            "timeout",
                            "build_failed",
                            "policy_rejected",
                            "not_recordable",
                            "no_kernel",
                            "",
                        ],
                    )
                ),
                name="run_verdict_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("correct__in", ["yes", "no", "unknown"])),
                name="run_correct_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("family__in", ["yes", "present_never_executed", "absent", "unknown"])
                ),
                name="run_family_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("matrix_path__in", ["yes", "no", "unknown"])),
                name="run_matrix_path_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("integrity__in", ["clear", "held", "struck"])),
                name="run_integrity_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("lane__in", ["recorded", "live"])), name="run_lane_is_a_word"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("problem", ""), _negated=True), ("problem_version__gte", 1)
                ),
                name="run_names_a_problem",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("verdict", ""), models.Q(("state", "finished"), _negated=True)),
                    models.Q(models.Q(("verdict", ""), _negated=True), ("state", "finished")),
                    _connector="OR",
                ),
                name="run_has_a_verdict_exactly_when_finished",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("state__in", ["finished", "abandoned", "cancelled"]),
                        ("finished_at__isnull", False),
                    ),
                    models.Q(
                        models.Q(
                            ("state__in", ["finished", "abandoned", "cancelled"]), _negated=True
                        ),
                        models.Q(("finished_at__isnull", False), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="run_has_an_end_exactly_when_ended",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("correct", "unknown"), ("verdict", "")),
                    models.Q(("correct", "yes"), ("verdict", "accepted")),
                    models.Q(
                        models.Q(("verdict__in", ["", "accepted"]), _negated=True),
                        ("correct", "no"),
                    ),
                    _connector="OR",
                ),
                name="run_is_correct_exactly_when_accepted",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("ratio__isnull", True),
                        ("ratio_low__isnull", True),
                        ("ratio_high__isnull", True),
                        ("candidate_ns__isnull", True),
                        ("vendor_ns__isnull", True),
                    ),
                    models.Q(
                        models.Q(
                            ("ratio__isnull", False),
                            ("ratio_low__isnull", False),
                            ("ratio_high__isnull", False),
                            ("candidate_ns__isnull", False),
                            ("vendor_ns__isnull", False),
                        ),
                        ("candidate_ns__gt", 0),
                        ("ratio__gt", 0),
                        ("ratio_high__gte", models.F("ratio")),
                        ("ratio_low__gt", 0),
                        ("ratio_low__lte", models.F("ratio")),
                        ("speed_reason", ""),
                        ("vendor_ns__gt", 0),
                        ("verdict", "accepted"),
                    ),
                    _connector="OR",
                ),
                name="run_has_a_whole_speed_or_none",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "finished"), _negated=True),
                    ("ratio__isnull", False),
                    models.Q(("speed_reason", ""), _negated=True),
                    _connector="OR",
                ),
                name="run_says_why_it_has_no_speed",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("ratio__isnull", True),
                        models.Q(("ratio__gte", 0), ("ratio__lte", 1000000.0)),
                        _connector="OR",
                    ),
                    models.Q(
                        ("ratio_low__isnull", True),
                        models.Q(("ratio_low__gte", 0), ("ratio_low__lte", 1000000.0)),
                        _connector="OR",
                    ),
                    models.Q(
                        ("ratio_high__isnull", True),
                        models.Q(("ratio_high__gte", 0), ("ratio_high__lte", 1000000.0)),
                        _connector="OR",
                    ),
                ),
                name="run_speed_is_finite",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("coverage__isnull", True),
                    models.Q(("coverage__gte", 0), ("coverage__lte", 1)),
                    _connector="OR",
                ),
                name="run_coverage_is_a_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("executed_share__isnull", True),
                        models.Q(
                            ("executed_share__gte", 0), ("executed_share__lte", 1000000000000.0)
                        ),
                        _connector="OR",
                    ),
                    models.Q(
                        ("gpu_seconds__isnull", True),
                        models.Q(("gpu_seconds__gte", 0), ("gpu_seconds__lte", 1000000000000.0)),
                        _connector="OR",
                    ),
                ),
                name="run_numbers_are_finite",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ["waiting", "abandoned", "cancelled"]),
                    models.Q(("device", ""), _negated=True),
                    _connector="OR",
                ),
                name="run_beyond_waiting_has_its_device",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("device_wanted", ""),
                    ("device", ""),
                    ("device", models.F("device_wanted")),
                    _connector="OR",
                ),
                name="run_is_on_the_device_that_was_wanted",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("plan__isnull", True), ("cubin__isnull", True), ("facts__isnull", True)
                    ),
                    models.Q(
                        ("plan__isnull", False), ("cubin__isnull", False), ("facts__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="run_has_all_parts_or_none",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["ready", "measuring"]), _negated=True),
                    ("plan__isnull", False),
                    _connector="OR",
                ),
                name="run_is_ready_with_parts_only",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("scan_family__in", ["absent", "unknown"])),
                name="run_scan_cannot_see_an_execution",
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["waiting", "preparing", "ready", "measuring"])),
                fields=(
                    "kernel",
                    "problem",
                    "problem_version",
                    "target",
                    "device_wanted",
                    "judge",
                    "owner",
                ),
                name="run_is_pending_once_an_owner",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["state", "lease_until"], name="attempt_by_lease"),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["queue", "state"], name="attempt_by_queue"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("half__in", ["prepare", "measure"])),
                name="attempt_half_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "state__in",
                        ["sent", "started", "done", "lapsed", "handed_back", "failed", "dropped"],
                    )
                ),
                name="attempt_state_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=django.db.models.lookups.Exact(
                    django.db.models.functions.text.Length("key_digest"), 64
                ),
                name="attempt_has_a_whole_key_digest",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1), ("number__lte", 1000)),
                name="attempt_number_is_1_to_1000",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                fields=("run", "half", "number"), name="attempt_number_is_given_once_a_half"
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["sent", "started"])),
                fields=("run",),
                name="attempt_is_the_only_live_one_of_its_run",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state__in", ["sent", "started"]), ("ended_at__isnull", True)),
                    models.Q(
                        models.Q(("state__in", ["sent", "started"]), _negated=True),
                        models.Q(("ended_at__isnull", True), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="attempt_has_an_end_exactly_when_not_live",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "started"), _negated=True),
                    models.Q(
                        models.Q(("worker", ""), _negated=True),
                        ("lease_until__isnull", False),
                        ("started_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="attempt_started_has_worker_and_lease",
            ),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "sent"), _negated=True),
                    models.Q(
                        ("lease_until__isnull", True), ("started_at__isnull", True), ("worker", "")
                    ),
                    _connector="OR",
                ),
                name="attempt_sent_has_not_started",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagereport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("stage__in", ["policy", "build", "record", "scan", "check", "probe", "time"])
                ),
                name="report_stage_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagereport",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "verdict__in",
                        [
                            "accepted",
                            "wrong_result",
                            "memory_fault",
                            "runtime_error",
                            "timeout",
                            "build_failed",
                            "policy_rejected",
                            "not_recordable",
                            "no_kernel",
                            "",
                        ],
                    )
                ),
                name="report_verdict_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="stagereport",
            constraint=models.UniqueConstraint(
                fields=("attempt", "place"), name="report_has_one_place_in_its_attempt"
            ),
        ),
        migrations.AddConstraint(
            model_name="signal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("stage__in", ["policy", "build", "record", "scan", "check", "probe", "time"])
                ),
                name="signal_stage_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="signal",
            constraint=models.CheckConstraint(
                condition=models.Q(("severity__in", ["note", "hold"])),
                name="signal_severity_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="signal",
            constraint=models.UniqueConstraint(
                fields=("report", "place"), name="signal_has_one_place_in_its_report"
            ),
        ),
        migrations.AddIndex(
            model_name="trajectory",
            index=models.Index(
                fields=["problem", "problem_version", "target"], name="trajectory_by_problem"
            ),
        ),
        migrations.AddConstraint(
            model_name="trajectory",
            constraint=models.CheckConstraint(
                condition=models.Q(("target__in", ["hopper", "blackwell"])),
                name="trajectory_target_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="trajectory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("ending__in", ["turns_used", "target_met", "our_fault", "stopped", "unknown"])
                ),
                name="trajectory_ending_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="trajectory",
            constraint=models.UniqueConstraint(
                fields=("entry", "problem", "target", "reported_device", "prompt", "number"),
                name="trajectory_has_one_place_in_its_entry",
            ),
        ),
        migrations.AddConstraint(
            model_name="trajectory",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("problem", ""), _negated=True), ("problem_version__gte", 1)
                ),
                name="trajectory_names_a_problem",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "missing__in",
                        ["no_code", "source_missing", "scrubbed", "too_large", "unreadable", ""],
                    )
                ),
                name="turn_missing_is_a_word",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.UniqueConstraint(
                fields=("trajectory", "number"), name="turn_has_one_place_in_its_trajectory"
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("kernel__isnull", False), ("missing__in", ["", "scrubbed"])),
                    models.Q(
                        ("kernel__isnull", True),
                        ("missing__in", ["no_code", "source_missing", "too_large", "unreadable"]),
                    ),
                    _connector="OR",
                ),
                name="turn_has_a_kernel_or_says_what_is_missing",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("missing", ""), ("missing_said", "")),
                    models.Q(
                        models.Q(("missing", ""), _negated=True),
                        models.Q(("missing_said", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="turn_has_a_sentence_exactly_when_missing",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("prompt_tokens__isnull", True),
                        models.Q(("prompt_tokens__gte", 0), ("prompt_tokens__lte", 1000000000000)),
                        _connector="OR",
                    ),
                    models.Q(
                        ("completion_tokens__isnull", True),
                        models.Q(
                            ("completion_tokens__gte", 0), ("completion_tokens__lte", 1000000000000)
                        ),
                        _connector="OR",
                    ),
                    models.Q(
                        ("reasoning_tokens__isnull", True),
                        models.Q(
                            ("reasoning_tokens__gte", 0), ("reasoning_tokens__lte", 1000000000000)
                        ),
                        _connector="OR",
                    ),
                ),
                name="turn_tokens_are_counts",
            ),
        ),
        migrations.AddConstraint(
            model_name="turn",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("cost_usd__isnull", True),
                    models.Q(("cost_usd__gte", 0), ("cost_usd__lte", 1000000000000.0)),
                    _connector="OR",
                ),
                name="turn_cost_is_a_number",
            ),
        ),
        migrations.AddConstraint(
            model_name="reportedresult",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("speedup__isnull", True),
                        models.Q(("speedup__gte", 0), ("speedup__lte", 1000000000000.0)),
                        _connector="OR",
                    ),
                    models.Q(
                        ("latency_us__isnull", True),
                        models.Q(("latency_us__gte", 0), ("latency_us__lte", 1000000000000.0)),
                        _connector="OR",
                    ),
                    models.Q(
                        ("reference_us__isnull", True),
                        models.Q(("reference_us__gte", 0), ("reference_us__lte", 1000000000000.0)),
                        _connector="OR",
                    ),
                ),
                name="reported_numbers_are_finite",
            ),
        ),
    ]
