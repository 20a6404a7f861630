"""Pretty-print nested data in several widths."""
import json
import pprint
import reprlib
import sys
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from types import MappingProxyType, SimpleNamespace


@dataclass
class Job:
    name: str
    steps: list = field(default_factory=list)


data = json.load(sys.stdin) if not sys.stdin.isatty() else {}
for width, depth in ((80, None), (30, None), (40, 2)):
    pprint.pprint(data, width=width, depth=depth, compact=width == 40, sort_dicts=width != 80)
pprint.pp([Job("build", list(range(30))), SimpleNamespace(a=1, b={2}), OrderedDict(x=[1] * 3), Counter("abca"), deque([1], maxlen=2), MappingProxyType({"k": "v"})], width=60)
print(pprint.pformat("a long string that is wrapped into several pieces because it does not fit", width=30))
print(pprint.pformat(b"bytes " * 12, width=40), pprint.pformat({1_000_000: 10**9}, underscore_numbers=True))
print(pprint.isreadable(data), pprint.isrecursive(data), pprint.saferepr({"b": 1, "a": 2}))
short = reprlib.Repr()
short.maxlist, short.maxstring, short.maxlevel = 3, 12, 2
print(short.repr(list(range(10))), short.repr("x" * 40), short.repr([[[[1]]]]), reprlib.repr({n: n for n in range(9)}), reprlib.repr(10**60))


class Tree(list):
    @reprlib.recursive_repr("…")
    def __repr__(self):
        return f"<{', '.join(map(repr, self))}>"


tree = Tree([1, 2])
tree.append(tree)
print(tree)
