"""Find untested lines in an LCOV file, as ranges by file."""
import argparse
import itertools
import sys


def ranges(numbers):
    for _, group in itertools.groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0]):
        group = [number for _, number in group]
        yield f"{group[0]}-{group[-1]}" if len(group) > 1 else str(group[0])


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--minimum", type=float, default=80.0, metavar="PERCENT")
parser.add_argument("file", type=argparse.FileType(), nargs="?", default="-")
args = parser.parse_args()
files, name = {}, None
for line in args.file:
    key, _, value = line.strip().partition(":")
    if key == "SF":
        name = value
        files[name] = {}
    elif key == "DA":
        number, hits = map(int, value.split(",")[:2])
        files[name][number] = files[name].get(number, 0) + hits
hit = sum(1 for lines in files.values() for hits in lines.values() if hits)
total = sum(map(len, files.values()))
for name, lines in sorted(files.items()):
    missed = [number for number, hits in lines.items() if not hits]
    share = 100 * (len(lines) - len(missed)) / len(lines) if lines else 100
    print(f"{name:<16} {share:6.1f}% {', '.join(ranges(missed)) or 'complete'}")
overall = 100 * hit / total if total else 100.0
print(f"overall {overall:.2f}%")
sys.exit(overall < args.minimum)
