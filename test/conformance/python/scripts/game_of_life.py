"""Run Conway's game of life on a pattern from stdin."""
import argparse
import sys
from collections import Counter
from itertools import product

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("generations", type=int, nargs="?", default=3)
parser.add_argument("--alive", default="#", metavar="CHARACTER")
args = parser.parse_args()
live = {(x, y) for y, line in enumerate(sys.stdin) for x, cell in enumerate(line.rstrip("\n")) if cell == args.alive}


def step(live):
    neighbours = Counter((x + dx, y + dy) for x, y in live for dx, dy in product((-1, 0, 1), repeat=2) if dx or dy)
    return {cell for cell, count in neighbours.items() if count == 3 or (count == 2 and cell in live)}


def show(live):
    if not live:
        return "(empty)"
    left, right = min(x for x, _ in live), max(x for x, _ in live)
    return "\n".join("".join(args.alive if (x, y) in live else "." for x in range(left, right + 1)) for y in range(min(y for _, y in live), max(y for _, y in live) + 1))


seen = {}
for generation in range(args.generations + 1):
    key = frozenset(live)
    if key in seen:
        print(f"repeats generation {seen[key]}")
        break
    seen[key] = generation
    print(f"{generation}: {len(live)} alive", show(live), sep="\n")
    live = step(live)
