"""Bytes by hash: what lies in the artifact store, known to the database."""

from django.db import models

from evaluation.models.constraints import sha256_length


class Artifact(models.Model):
    """Bytes by lower-case hex SHA-256, size in bytes. ``kind`` says what they were first stored as."""

    sha256 = models.CharField(max_length=64, unique=True)
    size = models.BigIntegerField()
    kind = models.CharField(max_length=40)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            sha256_length("artifact_has_a_whole_hash", "sha256"),
            models.CheckConstraint(
                name="artifact_size_is_no_less_than_0", condition=models.Q(size__gte=0)
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.sha256[:12]}"
