"""List TODO, FIXME and HACK comments below a folder, as text or JSON."""
import argparse
import fnmatch
import json
import os
import re
import sys

MARK = re.compile(r"(?:#|//|--|/\*)\s*(?P<mark>TODO|FIXME|HACK)(?:\((?P<owner>[^)]+)\))?:?\s*(?P<text>.*?)\s*(?:\*/)?$")


def files(root, include, exclude):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - {"node_modules", "__pycache__"})
        for name in sorted(names):
            if any(fnmatch.fnmatchcase(name, p) for p in include) and not any(fnmatch.fnmatchcase(name, p) for p in exclude):
                yield os.path.join(folder, name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("root", nargs="?", default=".")
    parser.add_argument("--include", nargs="+", default=["*.py", "*.js", "*.sql"], metavar="GLOB")
    parser.add_argument("--exclude", nargs="+", default=[], metavar="GLOB")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    args = parser.parse_args()
    found = []
    for path in files(args.root, args.include, args.exclude):
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                if match := MARK.search(line):
                    found.append({"path": os.path.relpath(path, args.root), "line": number, **match.groupdict()})
    if args.format == "json":
        json.dump(found, sys.stdout, indent=1)
        print()
    else:
        for item in found:
            print("{path}:{line}: {mark} {text}".format_map(item), f"[{item['owner']}]" if item["owner"] else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
