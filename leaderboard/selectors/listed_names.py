"""Which models have a page: those that staff accepted, and those of which a publication has values."""

from django.db.models import Exists, OuterRef, Q

from evaluation.models import PaperCell


def is_listed() -> Q:
    """A filter of models."""
    published = PaperCell.objects.filter(model=OuterRef("pk"))
    return Q(accepted_at__isnull=False) | Q(Exists(published))
