"""Filter, sort and summarise JSON lines."""
import argparse
import json
import operator
import sys

OPERATORS = {"==": operator.eq, "!=": operator.ne, ">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}


def condition(text):
    for symbol, function in OPERATORS.items():
        name, found, value = text.partition(symbol)
        if found:
            try:
                wanted = json.loads(value)
            except ValueError:
                wanted = value
            return lambda row: name in row and function(row[name], wanted)
    raise argparse.ArgumentTypeError(f"no operator in {text!r}; use one of {' '.join(OPERATORS)}")


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--where", type=condition, action="append", default=[], metavar="NAME==VALUE")
parser.add_argument("--sort", metavar="NAME")
parser.add_argument("--fields", type=lambda text: text.split(","))
parser.add_argument("--strict", action="store_true")
args = parser.parse_args()
rows = []
for number, line in enumerate(sys.stdin, 1):
    try:
        row = json.loads(line)
        if not isinstance(row, dict):
            raise ValueError(f"not an object but {type(row).__name__}")
        if all(check(row) for check in args.where):
            rows.append(row)
    except (ValueError, TypeError) as error:
        if args.strict:
            raise SystemExit(f"line {number}: {error}") from error
        print(f"line {number}: {error}", file=sys.stderr)
if args.sort:
    rows.sort(key=lambda row: (args.sort not in row, row.get(args.sort)))
for row in rows:
    print(json.dumps({name: row.get(name) for name in args.fields} if args.fields else row, ensure_ascii=False, sort_keys=True, allow_nan=False))
