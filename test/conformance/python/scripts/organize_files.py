"""Sort the files of a folder into subfolders by type; --dry-run shows the plan."""
import argparse
import collections
import os
import shutil
import sys

KINDS = {"images": {".png", ".jpg", ".svg"}, "documents": {".md", ".txt", ".pdf"}, "data": {".csv", ".json"}}


def kind_of(name):
    suffix = os.path.splitext(name)[1].lower()
    return next((kind for kind, suffixes in KINDS.items() if suffix in suffixes), "other")


def free_name(target):
    base, suffix = os.path.splitext(target)
    number = 1
    while os.path.exists(target):
        target = f"{base}-{number}{suffix}"
        number += 1
    return target


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder")
parser.add_argument("-n", "--dry-run", action="store_true")
parser.add_argument("--copy", action="store_true", help="copy instead of moving")
args = parser.parse_args()
counts = collections.Counter()
with os.scandir(args.folder) as entries:
    files = sorted((entry.name for entry in entries if entry.is_file(follow_symlinks=False)), key=str.lower)
for name in files:
    kind = kind_of(name)
    target = os.path.join(args.folder, kind, name)
    counts[kind] += 1
    print(f"{name} -> {os.path.relpath(free_name(target), args.folder)}")
    if not args.dry_run:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        (shutil.copyfile if args.copy else shutil.move)(os.path.join(args.folder, name), free_name(target))
print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing to do")
if not args.dry_run:
    for root, folders, names in os.walk(args.folder):
        folders.sort()
        print(root, sorted(names), file=sys.stderr)
