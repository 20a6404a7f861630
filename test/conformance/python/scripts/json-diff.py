"""Show what changed between two JSON files, by path."""
import json
import sys


def walk(old, new, path=""):
    if type(old) is not type(new):
        yield "~", path, old, new
    elif isinstance(old, dict):
        for key in sorted(old.keys() | new.keys()):
            inner = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in new:
                yield "-", inner, old[key], None
            elif key not in old:
                yield "+", inner, None, new[key]
            else:
                yield from walk(old[key], new[key], inner)
    elif isinstance(old, list):
        for index in range(max(len(old), len(new))):
            inner = f"{path}/{index}"
            if index >= len(new):
                yield "-", inner, old[index], None
            elif index >= len(old):
                yield "+", inner, None, new[index]
            else:
                yield from walk(old[index], new[index], inner)
    elif old != new:
        yield "~", path, old, new


if len(sys.argv) != 3:
    print(f"usage: {sys.argv[0]} OLD NEW", file=sys.stderr)
    sys.exit(64)
old, new = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
changes = list(walk(old, new))
for sign, path, before, after in changes:
    shown = {"+": json.dumps(after), "-": json.dumps(before), "~": f"{json.dumps(before)} -> {json.dumps(after)}"}[sign]
    print(sign, path or "/", shown)
raise SystemExit(bool(changes))
