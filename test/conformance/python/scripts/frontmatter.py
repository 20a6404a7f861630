"""Read the frontmatter of Markdown files and print an index as JSON."""
import json
import pathlib
import re
import sys

SCALARS = {"true": True, "false": False, "null": None, "~": None}


def scalar(text):
    if text in SCALARS:
        return SCALARS[text]
    if re.fullmatch(r"[-+]?\d+", text):
        return int(text)
    if re.fullmatch(r"[-+]?\d*\.\d+(e[-+]?\d+)?", text, re.I):
        return float(text)
    if text.startswith("[") and text.endswith("]"):
        return [scalar(part.strip()) for part in text[1:-1].split(",") if part.strip()]
    return text.strip("\"'")


def parse(text):
    match = re.match(r"\A---\n(.*?\n)---\n", text, re.DOTALL)
    if match is None:
        raise ValueError("no frontmatter")
    fields, key = {}, None
    for line in match[1].splitlines():
        if item := re.match(r"\s+-\s+(.*)", line):
            fields[key] = [*(fields[key] or []), scalar(item[1])]
        elif pair := re.match(r"([\w-]+):\s*(.*)", line):
            key, value = pair.groups()
            fields[key] = scalar(value) if value else None
        elif line.strip():
            raise ValueError(f"cannot read {line!r}")
    return fields, text[match.end():]


index, status = [], 0
for path in sorted(pathlib.Path(".").glob("**/*.md")):
    try:
        fields, body = parse(path.read_text())
    except ValueError as error:
        print(f"{path}: {error}", file=sys.stderr)
        status = 1
        continue
    index.append({"path": path.as_posix(), "words": len(body.split()), **fields})
json.dump(index, sys.stdout, indent=2)
print()
sys.exit(status)
