"""Merge logs that are sorted by time into one, marking the source."""
import contextlib
import heapq
import sys
from pathlib import Path


def stamped(file, name):
    for line in file:
        time, _, rest = line.rstrip("\n").partition(" ")
        yield time, name, rest


with contextlib.ExitStack() as stack:
    sources = [stamped(stack.enter_context(open(name)), Path(name).stem) for name in sys.argv[1:]]
    width = max((len(Path(name).stem) for name in sys.argv[1:]), default=0)
    with open("merged.log", "w") as out:
        for time, name, rest in heapq.merge(*sources):
            print(time, f"{name:>{width}} |", rest, file=out)
    print(Path("merged.log").stat().st_size, "bytes")
