"""The site as an app: its system checks and its commands."""

from django.apps import AppConfig


class PortalConfig(AppConfig):
    name = "portal"

    def ready(self) -> None:
        from portal import checks  # noqa: PLC0415 (registers itself, which needs Django to be set up)

        checks.register()
