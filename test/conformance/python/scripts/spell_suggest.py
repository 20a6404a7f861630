"""Suggest the nearest known word for each word of the arguments."""
import difflib
import sys
from functools import lru_cache

WORDS = "receive separate definitely occurrence accommodate necessary embarrass rhythm weird calendar".split()


@lru_cache(maxsize=None)
def distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    return min(distance(a[1:], b) + 1, distance(a, b[1:]) + 1, distance(a[1:], b[1:]) + (a[0] != b[0]))


for word in sys.argv[1:]:
    close = difflib.get_close_matches(word.lower(), WORDS, n=2, cutoff=0.6)
    ranked = sorted(WORDS, key=lambda known: (distance(word.lower(), known), known))[:2]
    print(f"{word!r}: {', '.join(close) or 'no match'}; nearest {ranked[0]} ({distance(word.lower(), ranked[0])}), then {ranked[1]}")
print(distance.cache_info().misses > 0 or "nothing asked")
