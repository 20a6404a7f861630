"""Sort, check and bump semantic versions."""
import argparse
import functools
import re
import sys

PATTERN = re.compile(
    r"^(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+(?P<build>[0-9A-Za-z.-]+))?$"
)


@functools.total_ordering
class Version:
    def __init__(self, text):
        match = PATTERN.match(text)
        if not match:
            raise ValueError(f"{text} is not a semantic version")
        self.text = text
        self.core = tuple(int(match[part]) for part in ("major", "minor", "patch"))
        self.pre = match["pre"]

    @property
    def key(self):
        parts = [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre.split(".")] if self.pre else []
        return self.core, self.pre is None, parts

    def __eq__(self, other):
        return self.key == other.key

    def __lt__(self, other):
        return self.key < other.key

    def __repr__(self):
        return f"{type(self).__name__}({self.text!r})"

    def bumped(self, part):
        major, minor, patch = self.core
        return {"major": f"{major + 1}.0.0", "minor": f"{major}.{minor + 1}.0", "patch": f"{major}.{minor}.{patch + 1}"}[part]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    order = commands.add_parser("sort", help="sort versions")
    order.add_argument("versions", nargs="+", type=Version)
    order.add_argument("-r", "--reverse", action="store_true")
    bump = commands.add_parser("bump", help="print the next version")
    bump.add_argument("version", type=Version)
    bump.add_argument("part", choices=["major", "minor", "patch"])
    args = parser.parse_args()
    if args.command == "sort":
        print("\n".join(version.text for version in sorted(args.versions, reverse=args.reverse)))
    else:
        print(args.version.bumped(args.part))


if __name__ == "__main__":
    sys.exit(main())
