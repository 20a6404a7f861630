"""Look up countries in the data files beside the script."""
import argparse
import csv
import json
import os
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("codes", nargs="*", help="country codes")
    parser.add_argument("--currency", action="store_true")
    args = parser.parse_args()
    with open(DATA / "countries.csv", newline="", encoding="utf-8") as file:
        countries = {row["code"]: row for row in csv.DictReader(file)}
    currencies = json.loads((DATA / "currencies.json").read_text(encoding="utf-8"))
    if not args.codes:
        print(sorted(path.name for path in DATA.iterdir()), os.access(DATA, os.R_OK))
    unknown = [code for code in args.codes if code.upper() not in countries]
    for code in args.codes:
        if code not in unknown:
            country = countries[code.upper()]
            print(country["name"], *([currencies[country["currency"]]["symbol"]] if args.currency else []))
    if unknown:
        print("unknown:", ", ".join(unknown), file=sys.stderr)
    return len(unknown)


if __name__ == "__main__":
    sys.exit(main())
