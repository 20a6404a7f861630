"""Join two CSV files on a column: inner, left or outer."""
import argparse
import csv
import sys


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        sample = file.read(1024)
        file.seek(0)
        try:
            dialect = csv.Sniffer().sniff(sample, delimiters=",;\t|")
        except csv.Error as error:
            sys.exit(f"{path}: {error}")
        return list(csv.DictReader(file, dialect=dialect))


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("left")
parser.add_argument("right")
parser.add_argument("--on", required=True)
parser.add_argument("--how", choices=["inner", "left", "outer"], default="inner")
args = parser.parse_args()
left, right = read(args.left), read(args.right)
index = {}
for row in right:
    index.setdefault(row[args.on], []).append(row)
used, rows = set(), []
for row in left:
    matches = index.get(row[args.on], [])
    used.update(row[args.on] for _ in matches)
    rows += [{**match, **row} for match in matches] or ([row] if args.how != "inner" else [])
if args.how == "outer":
    rows += [row for key, group in index.items() if key not in used for row in group]
columns = list(dict.fromkeys([*left[0], *right[0]])) if left and right else []
writer = csv.DictWriter(sys.stdout, columns, restval="-", quoting=csv.QUOTE_MINIMAL)
writer.writeheader()
writer.writerows(rows)
print(len(rows), "rows", file=sys.stderr)
