"""Who a program is, by its token."""

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # untyped
    """Reads ``Authorization: Token ptxb_…`` of a request."""

    def authenticate_credentials(self, token: bytes) -> Any:
        """Knox decodes it as if it could only be text."""
        if not token.isascii():
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # registers itself when it is made
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:  # noqa: ARG002 (the signature)
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "Token ptxb_…",
        }
