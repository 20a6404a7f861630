"""Flatten a JSON array of objects into CSV with dotted column names."""
import csv
import io
import json
import sys


def flatten(value, prefix=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, f"{prefix}{key}.")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flatten(inner, f"{prefix}{index}.")
    else:
        yield prefix[:-1], value


def main():
    try:
        data = json.load(sys.stdin)
    except json.JSONDecodeError as error:
        sys.exit(f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}")
    rows = [dict(flatten(item)) for item in data]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    sys.stdout.write(out.getvalue())
    print(f"{len(rows)} rows, {len(columns)} columns", file=sys.stderr)


main()
