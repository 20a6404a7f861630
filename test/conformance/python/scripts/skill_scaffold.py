#!/usr/bin/env python3
"""Create the folder of a new skill."""
import argparse
import re
import string
import sys
from pathlib import Path

SKILL = string.Template("""---
name: $name
description: $description
---
# $title

Costs $$0. ${note}
""")


def skill_name(text):
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not lower case with hyphens")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", type=skill_name)
    parser.add_argument("--path", type=Path, default=Path("."))
    parser.add_argument("--description", default="TODO")
    parser.add_argument("--resources", nargs="*", choices=["scripts", "references", "assets"], default=[])
    args = parser.parse_args()
    root = args.path / args.name
    try:
        root.mkdir(parents=True)
    except FileExistsError:
        sys.exit(f"error: {root} already exists")
    title = args.name.replace("-", " ").title()
    (root / "SKILL.md").write_text(SKILL.substitute(name=args.name, description=args.description, title=title, note="Edit me."))
    for resource in args.resources:
        folder = root / resource
        folder.mkdir()
        (folder / ".keep").touch()
        print(f"created {folder.relative_to(args.path)}/")
    print(f"created {root / 'SKILL.md'}")


main()
