"""Settings of the site. What differs between installations is read by portal.env."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from portal.env import Environment, WrongEnvironment, this_environment
from portal.secret_key import kept_key

REPOSITORY = Path(__file__).parents[1]


def _environment() -> Environment:
    try:
        return this_environment()
    except WrongEnvironment as wrong:
        raise ImproperlyConfigured(str(wrong)) from None


def _secret_key(given: str, path: Path) -> str:
    try:
        return given or kept_key(path)
    except (OSError, ValueError) as wrong:
        raise ImproperlyConfigured(
            f"no key to sign sessions: {wrong}; set PTXBOARD_SECRET_KEY or PTXBOARD_HOME"
        ) from None


ENVIRONMENT = _environment()
HOME = ENVIRONMENT.home
SECRET_KEY = _secret_key(ENVIRONMENT.secret_key, HOME / "secret-key")
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.trusted_origins)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "evaluation",
    "leaderboard",
    "portal.accounts",
    "portal.uploads",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "portal.urls"
WSGI_APPLICATION = "portal.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [REPOSITORY / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

DATABASES = {"default": ENVIRONMENT.database}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"

LANGUAGE_CODE = "en-gb"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
