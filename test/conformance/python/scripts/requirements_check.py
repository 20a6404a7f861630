"""Check a requirements file: pins, duplicates, comparison of versions."""
import itertools
import re
import sys

LINE = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]*)(?:\[(?P<extras>[\w, -]+)\])?\s*(?P<specs>(?:[<>=!~]=?=?\s*[\w.*]+\s*,?\s*)*)(?:;\s*(?P<marker>.+))?$")
SPEC = re.compile(r"([<>=!~]=?=?)\s*([\w.*]+)")


def version(text):
    return [int(part) if part.isdigit() else part for part in re.findall(r"\d+|[a-z]+", text)]


def compare(left, right):
    for a, b in itertools.zip_longest(version(left), version(right), fillvalue=0):
        if a != b:
            return -1 if str(type(a)) > str(type(b)) or (type(a) is type(b) and a < b) else 1
    return 0


seen, status = {}, 0
for number, line in enumerate(sys.stdin, 1):
    text = re.sub(r"(^|\s)#.*", "", line).strip()
    if not text or text.startswith("-"):
        continue
    match = LINE.match(text)
    if match is None:
        print(f"{number}: cannot read {text!r}")
        status = 2
        continue
    name = re.sub(r"[-_.]+", "-", match["name"]).lower()
    specs = SPEC.findall(match["specs"])
    if name in seen:
        print(f"{number}: {name} is already in line {seen[name]}")
    seen[name] = number
    exact = [value for operator, value in specs if operator == "=="]
    low = max((value for operator, value in specs if operator in (">", ">=", "~=")), default=None, key=version)
    high = min((value for operator, value in specs if operator in ("<", "<=")), default=None, key=version)
    state = f"pinned to {exact[0]}" if exact else f"{low or '*'} to {high or '*'}"
    if low and high and compare(low, high) > 0:
        state += " (impossible)"
        status = max(status, 1)
    print(f"{name:<12} {state}" + (f" if {match['marker']}" if match["marker"] else "") + (f" with {match['extras']}" if match["extras"] else ""))
sys.exit(status)
