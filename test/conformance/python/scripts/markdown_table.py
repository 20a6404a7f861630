"""Align the tables of a Markdown document read from stdin."""
import sys
import unicodedata
from itertools import groupby


def width(text):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def padded(text, size, align):
    gap = size - width(text)
    if align == "right":
        return " " * gap + text
    if align == "center":
        return " " * (gap // 2) + text + " " * (gap - gap // 2)
    return text + " " * gap


def aligned(lines):
    rows = [cells(line) for line in lines]
    count = max(map(len, rows))
    rows = [row + [""] * (count - len(row)) for row in rows]
    marks = [(mark.startswith(":"), mark.endswith(":")) for mark in rows[1]]
    aligns = ["center" if both == (True, True) else "right" if both[1] else "left" for both in marks]
    sizes = [max(3, *(width(row[i]) for n, row in enumerate(rows) if n != 1)) for i in range(count)]
    for number, row in enumerate(rows):
        if number == 1:
            shown = [":" * left + "-" * (size - left - right) + ":" * right for size, (left, right) in zip(sizes, marks)]
        else:
            shown = [padded(*each) for each in zip(row, sizes, aligns)]
        yield "| " + " | ".join(shown) + " |"


for is_table, group in groupby(sys.stdin.read().splitlines(), key=lambda line: line.lstrip().startswith("|")):
    group = list(group)
    for line in aligned(group) if is_table and len(group) > 1 else group:
        print(line)
