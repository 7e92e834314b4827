"""How often somebody tried under a model's name; what they hide counts too, or they would show the best alone."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef

from evaluation.models import Entry, Model


@dataclass(frozen=True, slots=True)
class ModelUploads:
    """Entries under a model by so many owners; ``hidden`` of them are private, embargoed or withdrawn."""

    entries: int
    hidden: int
    owners: int


def model_uploads(slug: str, *, at: datetime) -> ModelUploads:
    """Count what was accepted under a model, and what its owners proposed for it beside that; three queries.

    Private entries are seldom accepted, since they rank nowhere. Those of other owners do not count: anybody may
    propose any name.
    """
    named = Model.objects.filter(slug=slug).values_list("aliases__alias", "slug", "name")
    names = {_folded(one) for row in named for one in row if one}
    shown = Entry.objects.public(at=at).filter(pk=OuterRef("pk"))
    accepted = Entry.objects.filter(model__slug=slug)
    theirs = accepted.exclude(owner="").order_by().values("owner")
    counts = {"number": Count("pk"), "hidden": Count("pk", filter=~Exists(shown))}
    whole = accepted.aggregate(**counts, owners=Count("owner", distinct=True))
    proposed = Entry.objects.filter(model=None, owner__in=theirs).order_by()
    by_name = proposed.values_list("proposed_model").annotate(**counts)
    counted = [(number, hidden) for name, number, hidden in by_name if _folded(name) in names]
    return ModelUploads(
        entries=whole["number"] + sum(number for number, _ in counted),
        hidden=whole["hidden"] + sum(hidden for _, hidden in counted),
        owners=whole["owners"],
    )


def _folded(name: str) -> str:
    return name.strip().casefold()
