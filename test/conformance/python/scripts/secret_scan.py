"""Find what looks like credentials in text files."""
import argparse
import math
import re
import sys
from collections import Counter
from pathlib import Path

RULES = {
    "private key": re.compile(r"-----BEGIN (?:RSA |EC )?PRIVATE KEY-----"),
    "assignment": re.compile(r"""(?ix) \b (?:api[_-]?key|secret|passw(?:or)?d|token) \s*[:=]\s* ["']? (?P<value>[^\s"']{8,})"""),
    "high entropy": re.compile(r"(?<![\w/+])(?P<value>[A-Za-z0-9/+]{24,}={0,2})(?![\w/+])"),
}


def entropy(text):
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values())


def scan(path, threshold):
    for number, line in enumerate(path.read_text(errors="ignore").splitlines(), 1):
        for rule, pattern in RULES.items():
            for match in pattern.finditer(line):
                value = match.groupdict().get("value") or match[0]
                bits = entropy(value)
                if rule != "high entropy" or bits >= threshold:
                    yield number, rule, f"{value[:4]}…{len(value)}", round(bits, 3)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("paths", nargs="+", type=Path)
parser.add_argument("--threshold", type=float, default=4.0)
args = parser.parse_args()
count = 0
for root in args.paths:
    for path in sorted(root.rglob("*")) if root.is_dir() else [root]:
        if path.is_file():
            for number, rule, value, bits in scan(path, args.threshold):
                count += 1
                print(f"{path}:{number}: {rule}: {value} ({bits} bits)")
sys.exit(3 if count else 0)
