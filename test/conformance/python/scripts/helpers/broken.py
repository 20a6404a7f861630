"""Fails while it is imported."""
VALUE = {"a": 1}["b"]
