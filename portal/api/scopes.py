"""What a token may do."""

from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

from portal.api.models import Scope, Token


class MayRead(BasePermission):
    message = "this token may not read"

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 (the signature)
        return isinstance(request.auth, Token)


class MaySubmit(BasePermission):
    """To read takes any token, to change something one that may submit."""

    message = "this token may read and not submit; make one with the scope submit"

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 (the signature)
        token = request.auth
        reads = request.method in {"GET", "HEAD", "OPTIONS"}
        return isinstance(token, Token) and (reads or token.scope == Scope.SUBMIT)
