"""Pivot CSV on stdin: rows by the first column, columns by the second, sums of the third."""
import csv
import sys
from collections import defaultdict
from decimal import Decimal, InvalidOperation

table, names = defaultdict(lambda: defaultdict(Decimal)), set()
reader = csv.reader(sys.stdin, skipinitialspace=True)
header = next(reader, None)
if header is None:
    sys.exit("no header")
for row in reader:
    try:
        key, name, amount = row
        table[key][name] += Decimal(amount)
        names.add(name)
    except (ValueError, InvalidOperation):
        print(f"line {reader.line_num}: cannot use {row}", file=sys.stderr)
columns = sorted(names)
width = max(map(len, [header[0], "total", *table]), default=5)
print(f"{header[0]:<{width}} |", " | ".join(f"{name:>8}" for name in columns), "| total")
print("-" * width, "+", " + ".join("-" * 8 for _ in columns), "+ -----", sep="-")
for key in sorted(table):
    print(f"{key:<{width}} |", " | ".join(f"{table[key].get(name, '')!s:>8}" for name in columns), "|", sum(table[key].values()))
print(f"{'total':<{width}} |", " | ".join(f"{sum(row[name] for row in table.values() if name in row):>8}" for name in columns), "|", sum(sum(row.values()) for row in table.values()))
