"""Solve a sudoku from stdin: digits, with dots for empty cells."""
import re
import sys


def candidates(grid, index):
    row, column = divmod(index, 9)
    box = row // 3 * 27 + column // 3 * 3
    used = set(grid[row * 9:row * 9 + 9]) | set(grid[column::9]) | {grid[box + r * 9 + c] for r in range(3) for c in range(3)}
    return [digit for digit in "123456789" if digit not in used]


def solve(grid):
    empty = [(len(options := candidates(grid, index)), index, options) for index, cell in enumerate(grid) if cell == "."]
    if not empty:
        return grid
    _, index, options = min(empty)
    for digit in options:
        solve.tries += 1
        if found := solve([*grid[:index], digit, *grid[index + 1:]]):
            return found
    return None


solve.tries = 0
cells = re.findall(r"[1-9.]", sys.stdin.read())
if len(cells) != 81:
    sys.exit(f"expected 81 cells, found {len(cells)}")
solution = solve(cells)
if solution is None:
    print("no solution")
    sys.exit(1)
for row in range(9):
    line = solution[row * 9:row * 9 + 9]
    print(" | ".join(" ".join(line[n:n + 3]) for n in (0, 3, 6)))
    if row in (2, 5):
        print("------+-------+------")
print(solve.tries, "tries", file=sys.stderr)
