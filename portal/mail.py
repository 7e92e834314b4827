"""The mail server that one address names, as Django's settings want it."""

from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}
_TIMEOUT_SECONDS = 10


@dataclass(frozen=True, slots=True)
class MailServer:
    host: str
    port: int
    user: str
    password: str
    starttls: bool
    tls: bool

    def settings(self) -> dict[str, object]:
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "EMAIL_HOST": self.host,
            "EMAIL_PORT": self.port,
            "EMAIL_HOST_USER": self.user,
            "EMAIL_HOST_PASSWORD": self.password,
            "EMAIL_USE_TLS": self.starttls,
            "EMAIL_USE_SSL": self.tls,
            "EMAIL_TIMEOUT": _TIMEOUT_SECONDS,
        }


def mail_server(url: str) -> MailServer:
    """Read ``smtp+starttls://USER:PASSWORD@HOST:PORT``. Raise ValueError that says what is wrong and no password."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS:
        raise ValueError(f"it begins with none of {', '.join(f'{one}://' for one in _PORTS)}")
    if not parts.hostname or parts.path.strip("/") or parts.query:
        raise ValueError("a mail server is named as SCHEME://USER:PASSWORD@HOST:PORT and no more")
    return MailServer(
        host=parts.hostname,
        port=_port(parts) or _PORTS[parts.scheme],
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        starttls=parts.scheme == "smtp+starttls",
        tls=parts.scheme == "smtps",
    )


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        # Python's own words repeat what stands there, which is a password where its slash was not written as %2F.
        raise ValueError("its port is no number from 0 to 65535") from None
