"""An LRU cache with statistics, used for a slow function."""
import functools
import sys
from collections import OrderedDict


class LRU:
    def __init__(self, size):
        self.size, self.items, self.hits, self.misses = size, OrderedDict(), 0, 0

    def __call__(self, function):
        @functools.wraps(function)
        def wrapper(*args):
            if args in self.items:
                self.hits += 1
                self.items.move_to_end(args)
                return self.items[args]
            self.misses += 1
            self.items[args] = function(*args)
            if len(self.items) > self.size:
                dropped, _ = self.items.popitem(last=False)
                print(f"dropped {dropped}", file=sys.stderr)
            return self.items[args]
        wrapper.cache = self
        return wrapper

    def __contains__(self, key):
        return key in self.items

    def __repr__(self):
        return f"<LRU {len(self.items)}/{self.size} hits={self.hits} misses={self.misses}>"


@LRU(3)
def slow(n):
    """Squares."""
    return n * n


@functools.lru_cache(maxsize=None)
def ways(steps):
    return 1 if steps < 2 else ways(steps - 1) + ways(steps - 2)


numbers = [int(word) for word in sys.argv[1:]] or [1, 2, 1, 3, 4, 2]
print([slow(n) for n in numbers], slow.cache, (1,) in slow.cache, slow.__name__, slow.__doc__)
print(ways(90), ways.cache_info())
ways.cache_clear()
print(ways.cache_info(), ways.cache_parameters())
