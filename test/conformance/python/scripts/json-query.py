"""Extract values from JSON with paths such as `users[*].name`."""
import argparse
import json
import re
import sys

STEP = re.compile(r"""
    (?P<name>[A-Za-z_][\w-]*)      # a key
  | \[(?P<index>-?\d+)\]           # an element
  | \[(?P<all>\*)\]                # every element
  | \["(?P<quoted>[^"]+)"\]        # any key
""", re.VERBOSE)


def steps(path):
    position = 0
    while position < len(path):
        if path[position] == ".":
            position += 1
        match = STEP.match(path, position)
        if not match:
            raise ValueError(f"cannot read {path!r} from column {position + 1}")
        position = match.end()
        yield match.lastgroup, match[match.lastgroup]


def select(values, kind, what):
    for value in values:
        if kind == "all":
            yield from value.values() if isinstance(value, dict) else value
        elif kind == "index":
            if isinstance(value, list) and -len(value) <= int(what) < len(value):
                yield value[int(what)]
        elif isinstance(value, dict) and what in value:
            yield value[what]


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog="Reads stdin.")
    parser.add_argument("path")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--raw", action="store_true", help="print strings without quotes")
    output.add_argument("--count", action="store_true", help="print how many values match")
    args = parser.parse_args()
    try:
        found = [json.load(sys.stdin)]
        for kind, what in steps(args.path):
            found = list(select(found, kind, what))
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    if args.count:
        print(len(found))
    for value in found if not args.count else ():
        print(value if args.raw and isinstance(value, str) else json.dumps(value, sort_keys=True))
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
