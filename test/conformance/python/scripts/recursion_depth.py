"""Recursive algorithms as deep as Python allows by default."""
import json
import sys


def depth(node):
    return 1 + max((depth(child) for child in node), default=0)


def build(levels):
    return [build(levels - 1)] if levels else []


def count(n):
    return 0 if n == 0 else 1 + count(n - 1)


def ackermann(m, n):
    return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))


print(count(900), depth(build(300)), ackermann(2, 60), sys.getrecursionlimit())
try:
    count(10_000)
except RecursionError as error:
    print("RecursionError:", error)
nested = []
for _ in range(300):
    nested = [nested]
text = json.dumps(nested)
print(len(text), json.loads(text) == nested, len(repr(nested)))


class Chain:
    def __init__(self, next=None):
        self.next = next

    def __len__(self):
        return 1 + (len(self.next) if self.next is not None else 0)

    def __getattr__(self, name):
        return getattr(self.next, name)


chain = None
for _ in range(200):
    chain = Chain(chain)
print(len(chain))
try:
    chain.missing
except AttributeError as error:
    print(error)
sys.setrecursionlimit(1500)
print(count(1300))
if "--fail" in sys.argv:
    count(5000)
