"""Every kind of option that argparse has."""
import argparse
import sys
from pathlib import Path


class Append(argparse.Action):
    def __call__(self, parser, namespace, values, option=None):
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), (option, values.upper())])


def percent(text):
    number = int(text.rstrip("%"))
    if not 0 <= number <= 100:
        raise argparse.ArgumentTypeError("must be between 0 and 100")
    return number


parent = argparse.ArgumentParser(add_help=False)
parent.add_argument("--config", type=Path, metavar="FILE", help="a configuration")
parser = argparse.ArgumentParser(parents=[parent], description="Shows what it was given.", epilog="See the manual.", prefix_chars="-+", conflict_handler="resolve")
parser.add_argument("-v", "--verbose", action="count", default=0)
parser.add_argument("--level", choices=["low", "mid", "high"], default="mid", help="one of %(choices)s (default: %(default)s)")
parser.add_argument("--size", nargs=2, type=int, metavar=("W", "H"))
parser.add_argument("--tags", nargs="*", default=argparse.SUPPRESS)
parser.add_argument("--maybe", nargs="?", const="yes", default="no")
parser.add_argument("+x", "++execute", action=Append, dest="execute")
parser.add_argument("--hidden", help=argparse.SUPPRESS)
parser.add_argument("--const", action="store_const", const=42)
parser.add_argument("--percent", type=percent)
group = parser.add_argument_group("output", "Where results go.")
exclusive = group.add_mutually_exclusive_group(required=True)
exclusive.add_argument("--stdout", action="store_true")
exclusive.add_argument("--out", type=argparse.FileType("w"))
parser.add_argument("rest", nargs=argparse.REMAINDER)
known, unknown = parser.parse_known_args()
values = vars(known)
for name in sorted(values):
    value = values[name]
    print(f"{name} = {value.name if hasattr(value, 'write') else value!r}")
print("unknown", unknown, file=known.out or sys.stdout)
