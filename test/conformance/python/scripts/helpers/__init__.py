"""A package for the scripts beside it."""
from .shouting import shout

VERSION = "1.0"
