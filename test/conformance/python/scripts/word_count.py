"""Count lines, words and bytes of stdin or files, like wc."""
import argparse
import sys


def count(stream):
    lines = words = size = 0
    for line in stream:
        lines += line.endswith(b"\n")
        words += len(line.split())
        size += len(line)
    return lines, words, size


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", metavar="FILE")
args = parser.parse_args()
status, totals = 0, [0, 0, 0]
for name in args.files or ["-"]:
    try:
        with (open(name, "rb") if name != "-" else sys.stdin.buffer) as stream:
            counts = count(stream)
    except OSError as error:
        print(f"word_count: {error.filename}: {error.strerror}", file=sys.stderr)
        status = 1
        continue
    totals = [a + b for a, b in zip(totals, counts)]
    print("".join(f"{n:>8}" for n in counts), name if name != "-" else "")
if len(args.files) > 1:
    print("".join(f"{n:>8}" for n in totals), "total")
sys.exit(status)
