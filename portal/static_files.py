"""Where a page finds its style sheets and scripts."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Names with a hash, to be cached for good, where ``manage.py collectstatic`` has run; else plain names.

    A server that somebody just started from a checkout thus needs no step of its own.
    """

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if self.hashed_files else name
