"""The one answer for what is not there and for what this viewer may not see."""


class NotVisible(Exception):
    """No such thing, as far as this viewer may know; pages answer 404 and say no more."""
