#!/usr/bin/env python3
"""Check JSON documents against a small schema language.

Exit codes: 0 valid, 1 invalid, 2 usage.
"""
import argparse
import json
import sys
from pathlib import Path

TYPES = {"string": str, "number": (int, float), "integer": int, "boolean": bool, "array": list, "object": dict, "null": type(None)}


def check(schema, value, path="$"):
    wanted = schema.get("type")
    if wanted and (not isinstance(value, TYPES[wanted]) or (isinstance(value, bool) and wanted in ("number", "integer"))):
        yield f"{path}: expected {wanted}, found {type(value).__name__}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {value!r} is not one of {schema['enum']}"
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        yield f"{path}: shorter than {schema['minLength']}"
    if isinstance(value, (int, float)) and value < schema.get("minimum", value):
        yield f"{path}: {value} is less than {schema['minimum']}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{path}: {name} is missing"
        for name, inner in value.items():
            if name in schema.get("properties", {}):
                yield from check(schema["properties"][name], inner, f"{path}.{name}")
    if isinstance(value, list) and "items" in schema:
        for index, inner in enumerate(value):
            yield from check(schema["items"], inner, f"{path}[{index}]")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("schema", type=Path)
parser.add_argument("documents", type=Path, nargs="+")
parser.add_argument("-q", "--quiet", action="store_true")
args = parser.parse_args()

schema = json.loads(args.schema.read_text())
failed = 0
for document in args.documents:
    problems = list(check(schema, json.loads(document.read_text())))
    failed += bool(problems)
    if not args.quiet:
        print(f"{document}: {'ok' if not problems else f'{len(problems)} problems'}")
        for problem in problems:
            print(f"  {problem}")
sys.exit(1 if failed else 0)
