"""Puts the builders of uploads where the tests of every folder below find them."""
