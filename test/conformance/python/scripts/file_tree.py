"""Print a tree of a folder, with sizes."""
import argparse
import sys
from pathlib import Path


def tree(folder, prefix="", depth=None):
    if depth == 0:
        return
    entries = sorted(folder.iterdir(), key=lambda path: (path.is_file(), path.name))
    for number, path in enumerate(entries, 1):
        last = number == len(entries)
        size = f" ({path.stat().st_size})" if path.is_file() else "/"
        print(f"{prefix}{'└── ' if last else '├── '}{path.name}{size}")
        if path.is_dir():
            tree(path, prefix + ("    " if last else "│   "), None if depth is None else depth - 1)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path, nargs="?", default=Path())
parser.add_argument("-L", dest="depth", type=int)
args = parser.parse_args()
if not args.folder.is_dir():
    sys.exit(f"{args.folder} is no folder")
print(args.folder.resolve())
tree(args.folder, depth=args.depth)
