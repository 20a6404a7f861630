"""Convert CSV to JSON, with numbers and booleans recognised."""
import argparse
import csv
import json
import pathlib
import sys


def value_of(text):
    if text == "":
        return None
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return text


def main(argv=None):
    parser = argparse.ArgumentParser(prog="csv_to_json")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path, nargs="?")
    parser.add_argument("--indent", type=int, default=2, choices=range(0, 9), metavar="0..8")
    parser.add_argument("--lines", action="store_true", help="one JSON object a line")
    args = parser.parse_args(argv)
    with args.source.open(newline="", encoding="utf-8-sig") as file:
        rows = [{key: value_of(text) for key, text in row.items()} for row in csv.DictReader(file)]
    if args.lines:
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        text = json.dumps(rows, indent=args.indent or None) + "\n"
    if args.target is None:
        sys.stdout.write(text)
    else:
        args.target.parent.mkdir(parents=True, exist_ok=True)
        args.target.write_text(text, encoding="utf-8")
        print(f"wrote {len(rows)} rows to {args.target}")


if __name__ == "__main__":
    main()
