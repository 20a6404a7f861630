"""Place queens with backtracking, permutations and bit masks, and compare."""
import itertools
import sys


def by_bits(size, columns=0, left=0, right=0):
    if columns == (1 << size) - 1:
        return 1
    total, free = 0, ~(columns | left | right) & ((1 << size) - 1)
    while free:
        bit = free & -free
        free ^= bit
        total += by_bits(size, columns | bit, (left | bit) << 1, (right | bit) >> 1)
    return total


def by_permutations(size):
    return [order for order in itertools.permutations(range(size)) if len({order[n] + n for n in range(size)}) == len({order[n] - n for n in range(size)}) == size]


def backtrack(size, placed=()):
    if len(placed) == size:
        yield placed
        return
    for column in range(size):
        if all(column != other and abs(column - other) != len(placed) - row for row, other in enumerate(placed)):
            yield from backtrack(size, (*placed, column))


size = int(sys.argv[1]) if len(sys.argv) > 1 else 6
assert 1 <= size <= 8, "between 1 and 8"
first = next(backtrack(size), None)
print(*("".join("♛" if column == queen else "·" for column in range(size)) for queen in first or ()), sep="\n")
print([by_bits(size), len(by_permutations(size)) if size < 8 else "skipped", sum(1 for _ in backtrack(size))])
