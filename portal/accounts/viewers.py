"""Who looks at a page, as the selectors of rows want to know it."""

from django.http import HttpRequest

from evaluation.selectors import ANYONE, Viewer


def viewer(request: HttpRequest) -> Viewer:
    """A visitor who has not signed in sees what is public; an account sees its own too."""
    user = request.user
    if not user.is_authenticated:
        return ANYONE
    return Viewer(owners=frozenset({user.owner}), staff=user.is_staff)
