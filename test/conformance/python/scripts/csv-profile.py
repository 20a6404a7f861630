#!/usr/bin/env python3
"""Describe the columns of a CSV file: types, missing values, ranges."""
import argparse
import csv
import statistics
import sys
from collections import Counter


def kind(values):
    """The narrowest type that fits all values."""
    for name, convert in (("integer", int), ("number", float)):
        try:
            for value in values:
                convert(value)
            return name
        except ValueError:
            continue
    return "text"


def describe(name, values):
    present = [value for value in values if value.strip()]
    line = f"{name}: {kind(present) if present else 'empty'}, {len(values) - len(present)} missing"
    if present and kind(present) != "text":
        numbers = [float(value) for value in present]
        line += f", min {min(numbers):g}, max {max(numbers):g}, mean {statistics.fmean(numbers):.3f}"
        if len(numbers) > 1:
            line += f", stdev {statistics.stdev(numbers):.3f}"
    elif present:
        value, count = Counter(present).most_common(1)[0]
        line += f", {len(set(present))} distinct, most common {value!r} ({count})"
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=argparse.FileType("r", encoding="utf-8"), help="the CSV file, or - for stdin")
    parser.add_argument("-d", "--delimiter", default=",", help="the separator (default: %(default)r)")
    parser.add_argument("-c", "--column", action="append", metavar="NAME", help="only this column; can be repeated")
    args = parser.parse_args()
    rows = list(csv.DictReader(args.file, delimiter=args.delimiter))
    if not rows:
        print("no rows", file=sys.stderr)
        return 1
    names = args.column or list(rows[0])
    unknown = [name for name in names if name not in rows[0]]
    if unknown:
        parser.error(f"unknown column: {', '.join(unknown)}")
    print(f"{len(rows)} rows, {len(rows[0])} columns")
    for name in names:
        print(describe(name, [row[name] or "" for row in rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
