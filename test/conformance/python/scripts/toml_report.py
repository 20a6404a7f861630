"""Summarise pyproject.toml: name, dependencies, entry points."""
import re
import sys
import tomllib
from pathlib import Path

REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?\s*([^;]*)(?:;\s*(.*))?$")

try:
    with Path(sys.argv[1] if len(sys.argv) > 1 else "pyproject.toml").open("rb") as file:
        document = tomllib.load(file)
except FileNotFoundError as error:
    sys.exit(f"{error.filename}: {error.strerror}")
except tomllib.TOMLDecodeError as error:
    print("invalid TOML:", error, file=sys.stderr)
    sys.exit(2)

project = document.get("project", {})
print(f"{project.get('name', '?')} {project.get('version', '(dynamic)')}")
for text in project.get("dependencies", []):
    name, extras, version, marker = REQUIREMENT.match(text).groups()
    print(f"  {name.lower().replace('_', '-'):<20} {version.strip() or 'any':<12}", extras or "-", marker or "")
for group, entries in project.get("entry-points", {}).items():
    print(group, entries)
for key, value in document.get("tool", {}).get("corpus", {}).items():
    print(f"{key}: {type(value).__name__} {value!r}")
