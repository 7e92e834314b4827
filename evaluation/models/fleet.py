"""The machines: workers and devices as they were last heard of, known kernels on them, and the switches of queues."""

from django.db import models
from django.db.models import Q

from evaluation.models.constraints import sha256_length


class Worker(models.Model):
    """A worker by its name. ``resting`` says why it takes no work, ``draining`` that it is to end."""

    name = models.CharField(max_length=128, unique=True)
    queue = models.CharField(max_length=80)
    device = models.CharField(max_length=40, blank=True, default="")
    last_heard_at = models.DateTimeField()
    resting = models.CharField(max_length=500, blank=True, default="")
    schema = models.PositiveIntegerField()
    judge = models.CharField(max_length=20)
    draining = models.BooleanField(default=False)

    class Meta:
        indexes = (models.Index(fields=("queue", "last_heard_at"), name="worker_by_queue"),)

    def __str__(self) -> str:
        return self.name


class Device(models.Model):
    """One GPU. Its uuid is kept as a digest; ``seen`` is the canonical JSON of its last state, never searched."""

    product = models.CharField(max_length=40)
    uuid_digest = models.CharField(max_length=64, unique=True)
    driver = models.CharField(max_length=40, blank=True, default="")
    resting = models.CharField(max_length=500, blank=True, default="")
    last_heard_at = models.DateTimeField()
    seen = models.TextField(blank=True, default="")

    class Meta:
        constraints = (sha256_length("device_has_a_whole_digest", "uuid_digest"),)

    def __str__(self) -> str:
        return f"{self.product} {self.uuid_digest[:12]}"


class CanaryReading(models.Model):
    """What a worker said of one run of a known kernel on its GPU. ``said`` is what was wrong, empty where all was well.

    ``ratio`` is NULL where there was none, and a band of zeros means none. Clocks and temperature are medians, 0 where
    nothing was sampled.
    """

    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="canaries")
    kernel = models.CharField(max_length=80)
    heard_at = models.DateTimeField()
    said = models.CharField(max_length=500, blank=True, default="")
    ratio = models.FloatField(null=True, blank=True)
    low = models.FloatField()
    high = models.FloatField()
    sm_mhz = models.PositiveIntegerField()
    memory_mhz = models.PositiveIntegerField()
    temperature_c = models.PositiveIntegerField()
    power_mw = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.CheckConstraint(
                name="canary_reading_ratio_is_not_negative",
                condition=Q(ratio__isnull=True) | Q(ratio__gte=0),
            ),
        )

    def __str__(self) -> str:
        return self.kernel


class QueueSwitch(models.Model):
    """Whether a queue is paused: nothing new is sent to it from ``paused_at`` until that is NULL again."""

    queue = models.CharField(max_length=80, unique=True)
    paused_at = models.DateTimeField(null=True, blank=True)
    by = models.CharField(max_length=64, blank=True, default="")
    why = models.CharField(max_length=500, blank=True, default="")

    class Meta:
        verbose_name_plural = "queue switches"
        constraints = (
            models.CheckConstraint(
                name="queue_says_why_it_is_paused",
                condition=Q(paused_at__isnull=True) | ~Q(why=""),
            ),
        )

    def __str__(self) -> str:
        return self.queue
