"""Who wrote kernels, and what they handed in: Model with its aliases, Entry."""

import uuid
from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.core.entry_words import Authorship, Track, Visibility
from evaluation.core.verdict import Language
from evaluation.models.constraints import exactly_when, sha256_length, words
from evaluation.models.viewer import Viewer


class Model(models.Model):
    """The LLM, agent or person that wrote kernels; curated. It is listed from ``accepted_at`` on."""

    slug = models.SlugField(max_length=80, unique=True)
    name = models.CharField(max_length=120)
    track = models.CharField(max_length=16)
    released_on = models.DateField(null=True, blank=True)
    owner = models.CharField(max_length=64, blank=True, default="")
    accepted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (words("model_track_is_a_word", "track", Track),)

    def __str__(self) -> str:
        return self.name


class ModelAlias(models.Model):
    """One more name of a model, casefolded; uploads that state it propose that model."""

    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="aliases")
    alias = models.CharField(max_length=200, unique=True)

    class Meta:
        constraints = (
            models.CheckConstraint(name="model_alias_is_not_empty", condition=~Q(alias="")),
        )

    def __str__(self) -> str:
        return self.alias


class EntryQuerySet(models.QuerySet["Entry"]):
    def shown(self, *, at: datetime | None = None) -> Self:
        """What is or was for everybody at this time (now by default), withdrawn entries with it."""
        embargo_is_over = Q(
            visibility=Visibility.EMBARGOED, embargo_until__lte=at or timezone.now()
        )
        return self.filter(Q(visibility=Visibility.PUBLIC) | embargo_is_over)

    def public(self, *, at: datetime | None = None) -> Self:
        """What everybody may see at this time. A withdrawn entry is not public; its tombstone is."""
        return self.shown(at=at).filter(withdrawn_at=None)

    def visible_to(self, viewer: Viewer, *, at: datetime | None = None) -> Self:
        """What this viewer may see; owners and staff see withdrawn ones too."""
        if viewer.staff:
            return self.all()
        return self.public(at=at) | self.filter(owner__in=viewer.owners)


class Entry(models.Model):
    """One model under one configuration, with its declared layout: prompts x trajectories x turns.

    ``model`` is empty until the proposed one was accepted; the entry is unranked until then. ``digest`` is the
    SHA-256 of what was handed in: one owner hands the same thing in once.
    """

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    model = models.ForeignKey(
        Model, on_delete=models.PROTECT, null=True, blank=True, related_name="entries"
    )
    proposed_model = models.CharField(max_length=200, blank=True, default="")
    owner = models.CharField(max_length=64, blank=True, default="", db_index=True)
    harness = models.CharField(max_length=80, blank=True, default="")
    harness_version = models.CharField(max_length=40, blank=True, default="")
    pack = models.CharField(max_length=80, blank=True, default="")
    language = models.CharField(max_length=16)
    reasoning_effort = models.CharField(max_length=40, blank=True, default="")
    prompts = models.PositiveIntegerField(default=1)
    trajectories = models.PositiveIntegerField(default=1)
    turns = models.PositiveIntegerField(default=1)
    authorship = models.CharField(max_length=16, default=Authorship.UPLOADER.value)
    visibility = models.CharField(max_length=16, default=Visibility.PRIVATE.value)
    embargo_until = models.DateTimeField(null=True, blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    withdrawn_reason = models.CharField(max_length=500, blank=True, default="")
    licence = models.CharField(max_length=80, blank=True, default="")
    single_kernel = models.BooleanField(default=False)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "entries"
        constraints = (
            words("entry_language_is_a_word", "language", Language),
            words("entry_authorship_is_a_word", "authorship", Authorship),
            words("entry_visibility_is_a_word", "visibility", Visibility),
            sha256_length("entry_has_a_whole_digest", "digest"),
            models.UniqueConstraint(
                name="entry_is_handed_in_once_by_an_owner", fields=("owner", "digest")
            ),
            models.CheckConstraint(
                name="entry_has_or_proposes_a_model",
                condition=Q(model__isnull=False) | ~Q(proposed_model=""),
            ),
            models.CheckConstraint(
                name="entry_layout_counts_from_1",
                condition=Q(prompts__gte=1, trajectories__gte=1, turns__gte=1),
            ),
            models.CheckConstraint(
                name="entry_single_kernel_has_one_turn",
                condition=Q(single_kernel=False) | Q(prompts=1, trajectories=1, turns=1),
            ),
            models.CheckConstraint(
                name="entry_has_a_date_exactly_when_embargoed",
                condition=exactly_when(
                    Q(visibility=Visibility.EMBARGOED.value), Q(embargo_until__isnull=False)
                ),
            ),
            models.CheckConstraint(
                name="entry_has_a_reason_exactly_when_withdrawn",
                condition=exactly_when(Q(withdrawn_reason=""), Q(withdrawn_at__isnull=True)),
            ),
        )
        indexes = (
            models.Index(fields=("visibility", "embargo_until"), name="entry_by_visibility"),
        )

    def __str__(self) -> str:
        return str(self.uid)

    @property
    def declared_turns(self) -> int:
        return self.prompts * self.trajectories * self.turns
