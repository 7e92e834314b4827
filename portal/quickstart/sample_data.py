"""What a new site shows before anybody has uploaded anything. The one place that says what is loaded."""


def load() -> None:
    """Add the sample data that is missing. Called at every start, after migrations; quick where nothing is missing."""
