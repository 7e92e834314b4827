"""How often somebody tried under a model's name; what they hide counts too, or they would show the best alone."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef

from evaluation.models import Entry, Model


@dataclass(frozen=True, slots=True)
class ModelUploads:
    """Entries under a model by so many owners; ``hidden`` of them are private, embargoed or withdrawn."""

    entries: int
    hidden: int
    owners: int


def model_uploads(slug: str, *, at: datetime) -> ModelUploads:
    """Count what was accepted under a model, and what its owners proposed for it beside that; two queries.

    Private entries are seldom accepted, since they rank nowhere. Those of other owners do not count: anybody may
    propose any name.
    """
    named = Model.objects.filter(slug=slug).values_list("aliases__alias", "slug", "name")
    names = {one.strip().casefold() for row in named for one in row if one}
    accepted = Entry.objects.filter(model__slug=slug)
    theirs = accepted.exclude(owner="").values("owner")
    shown = Entry.objects.public(at=at).filter(pk=OuterRef("pk"))
    found = (accepted | Entry.objects.filter(model=None, owner__in=theirs)).annotate(
        is_shown=Exists(shown)
    )
    columns = found.values_list("model", "proposed_model", "owner", "is_shown")
    counted = [one for one in columns if one[0] or one[1].strip().casefold() in names]
    return ModelUploads(
        entries=len(counted),
        hidden=sum(not is_shown for *_, is_shown in counted),
        owners=len({owner for *_, owner, _ in counted}),
    )
