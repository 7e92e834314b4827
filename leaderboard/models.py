"""Rows that board pages read."""
