"""Keeps an inventory in a JSON file."""
__version__ = "2.1"
