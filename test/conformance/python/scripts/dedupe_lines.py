"""Print the lines of stdin once, in order; with -c, how often each came."""
import getopt
import sys
from collections import OrderedDict

try:
    options, rest = getopt.getopt(sys.argv[1:], "cik:", ["count", "ignore-case", "key="])
except getopt.GetoptError as error:
    print(error, file=sys.stderr)
    print("usage: dedupe_lines.py [-c] [-i] [-k FIELD] < FILE", file=sys.stderr)
    sys.exit(2)
options = {name.lstrip("-")[:1]: value for name, value in options}
seen = OrderedDict()
for line in sys.stdin:
    line = line.rstrip("\r\n")
    key = line.split()[int(options["k"]) - 1] if "k" in options else line
    key = key.casefold() if "i" in options else key
    first, count = seen.get(key, (line, 0))
    seen[key] = first, count + 1
for line, count in seen.values():
    print(f"{count:>4} {line}" if "c" in options else line)
