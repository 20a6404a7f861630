"""Sizes that no machine has: how scripts fail that ask for too much."""
import sys

for call in (lambda: "x" * sys.maxsize, lambda: [0] * sys.maxsize, lambda: bytes(sys.maxsize - 100), lambda: len(range(10**30)), lambda: range(10**30)[10**29], lambda: (10**30) in range(10**31), lambda: 1 << (1 << 70), lambda: "x".ljust(2**70), lambda: [1].pop(2**70), lambda: "abc"[2**70:], lambda: b"%d" % 10**3):
    try:
        print(call())
    except (MemoryError, OverflowError, IndexError, TypeError, ValueError) as error:
        print(type(error).__name__)
