"""Settings of the site. What differs between installations is read by portal.env (docs/operations.md)."""

from datetime import timedelta
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


def _state(environment: Environment) -> str:
    """Make what is missing of the state folder and give the key that signs sessions.

    The folder is everybody's to read, for the toolchain in it; a SQLite file has accounts and is its owner's alone.
    """
    try:
        (environment.home / "static").mkdir(parents=True, exist_ok=True)
        (environment.home / "spool").mkdir(mode=0o700, exist_ok=True)
        if environment.database["ENGINE"] == "django.db.backends.sqlite3":
            Path(str(environment.database["NAME"])).touch(mode=0o600)
        return environment.secret_key or kept_key(environment.secret_key_file)
    except (OSError, ValueError) as wrong:
        raise ImproperlyConfigured(
            f"the state folder cannot be used: {wrong}; PTXBOARD_HOME names another one"
        ) from None


ENVIRONMENT = _environment()
HOME = ENVIRONMENT.home
SECRET_KEY = _state(ENVIRONMENT)
DEBUG = ENVIRONMENT.debug

INSTALLED_APPS = [
    "portal",
    "evaluation",
    "leaderboard",
    "portal.accounts",
    "portal.uploads",
    "portal.api",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    *(["allauth.socialaccount.providers.github"] if ENVIRONMENT.github else []),
    "axes",
    "csp",
    "drf_spectacular",
    "knox",
    "rest_framework",
]

MIDDLEWARE = [
    "portal.middleware.name_request",
    "portal.middleware.see_visitor_address",
    "portal.middleware.bound_request",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "axes.middleware.AxesMiddleware",
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
                "portal.middleware.request_number",
            ],
        },
    },
]

_CACHES = "django.core.cache.backends"
_MEMORY = f"{_CACHES}.locmem.LocMemCache"
DATABASES = {"default": ENVIRONMENT.database}
# Pages that each process of the web server keeps for visitors who have not signed in: leaderboard/views/kept_pages.py.
# Not in the broker, which has to keep every job and so may drop nothing.
CACHES: dict[str, Any] = {
    "default": {"BACKEND": _MEMORY},
    "pages": {
        "BACKEND": _MEMORY
        if ENVIRONMENT.pages_kept and not DEBUG
        else f"{_CACHES}.dummy.DummyCache",
        "LOCATION": "pages",
        "TIMEOUT": 10 * 60,
        "OPTIONS": {"MAX_ENTRIES": ENVIRONMENT.pages_kept},
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en-gb"
USE_I18N = False
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = HOME / "static"
STATICFILES_DIRS = [REPOSITORY / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "portal.static_files.StaticFiles"},
}
WHITENOISE_USE_FINDERS = True

# Who may sign in, and how.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
SIGN_UP = ENVIRONMENT.sign_up
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
ACCOUNT_ADAPTER = "portal.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if ENVIRONMENT.mail else "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "PTXBoard: "
ACCOUNT_SESSION_REMEMBER = True
SOCIALACCOUNT_PROVIDERS = (
    {
        "github": {
            "APP": {"client_id": ENVIRONMENT.github[0], "secret": ENVIRONMENT.github[1]},
            "SCOPE": ["user:email"],
        }
    }
    if ENVIRONMENT.github
    else {}
)
# Passwords of the staff's pages; django-allauth limits those of its own.
AXES_ONLY_ADMIN_SITE = True
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]  # one alone would let anybody lock staff out
AXES_LOCKOUT_TEMPLATE = "429.html"
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

DEFAULT_FROM_EMAIL = SERVER_EMAIL = ENVIRONMENT.mail_from
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
if ENVIRONMENT.mail:
    globals().update(ENVIRONMENT.mail.settings())

# What a browser may do with our pages.
ALLOWED_HOSTS = list(ENVIRONMENT.allowed_hosts)
CSRF_TRUSTED_ORIGINS = list(ENVIRONMENT.trusted_origins)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],  # the icons of Pico
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        # A browser holds a form to this through redirects too.
        "form-action": ["'self'", *(["https://github.com"] if ENVIRONMENT.github else [])],
        "frame-ancestors": ["'none'"],
    }
}
PROXIES = ENVIRONMENT.proxies
SESSION_COOKIE_NAME = "ptxboard_session"
CSRF_COOKIE_NAME = "ptxboard_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.https
SECURE_SSL_REDIRECT = ENVIRONMENT.https
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]  # asked from beside the server, by HTTP
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if ENVIRONMENT.https else 0
if ENVIRONMENT.https and ENVIRONMENT.proxies:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SILENCED_SYSTEM_CHECKS = [
    "security.W005",  # other hosts of the domain are not this site's to promise HTTPS for
    "security.W021",  # nor is the whole domain its own to enter into browsers' lists
]

# What programs use, with tokens that their owners make on a page.
KNOX_TOKEN_MODEL = "api.Token"  # noqa: S105 (the name of a table)
# Its own table of tokens would be made and never used.
MIGRATION_MODULES = {"knox": None}
REST_KNOX = {
    "TOKEN_MODEL": KNOX_TOKEN_MODEL,
    "TOKEN_PREFIX": "ptxb_",  # so that those who look for leaked keys find one
    "TOKEN_TTL": timedelta(days=365),
    "AUTH_HEADER_PREFIX": "Token",
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["portal.api.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["portal.api.bounded_json.BoundedJson"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "portal.api.errors.answer_error",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "PTXBoard",
    "VERSION": "1",
    "DESCRIPTION": "Hand in kernels and trajectories, follow how they are judged, download what became of them.",
    "SERVE_INCLUDE_SCHEMA": False,
}

# How much may be uploaded, where it differs from portal/uploads/reading/limits.py and portal/uploads/limits.py.
REQUEST_BYTES = 65 << 20  # of any request: a document of 64 MiB and the form around it
READING_LIMITS: dict[str, Any] = {}
UPLOAD_LIMITS: dict[str, Any] = {}
# Uploads may hold secrets: what of one does not fit into memory lies in a private file, beside those that wait.
UPLOAD_SPOOL = HOME / "spool"
FILE_UPLOAD_TEMP_DIR = UPLOAD_SPOOL

# The public data set as files, made anew by portal.make_data_set.
DATA_SET = HOME / "data-set"

# What portal.celery is made of. Limits of the judge's queues are the same in every process: evaluation/queues.py.
BROKER_URL = ENVIRONMENT.broker_url
QUEUE = ENVIRONMENT.queue

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {"()": "portal.logs.JsonLines"},
        "plain": {"format": "%(levelname)s %(name)s: %(message)s"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": "plain" if DEBUG else "json",
        }
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    # Its own handlers would say everything twice, and mail tracebacks to nobody.
    "loggers": {"django": {"handlers": [], "level": "INFO", "propagate": True}},
}
