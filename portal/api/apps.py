"""What programs use, and the tokens that they use it with."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    name = "portal.api"
    label = "api"
    default_auto_field = "django.db.models.BigAutoField"
