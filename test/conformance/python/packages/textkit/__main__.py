"""A namespace package with a __main__, and subpackages."""
import sys

from textkit.filters import lower, upper
from textkit.filters.extra import FILTERS

name, *words = sys.argv[1:] or ["upper"]
filters = {"upper": upper.apply, "lower": lower.apply, **FILTERS}
if name not in filters:
    raise SystemExit(f"textkit: no filter {name!r} ({', '.join(sorted(filters))})")
print(*map(filters[name], words or [sys.stdin.read().rstrip()]), sep="\n")
