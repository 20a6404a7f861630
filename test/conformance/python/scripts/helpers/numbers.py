from . import VERSION
from .shouting import shout


def total(numbers):
    return f"{shout('sum')} {sum(numbers)} (v{VERSION})"
