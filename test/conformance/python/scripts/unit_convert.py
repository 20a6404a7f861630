"""Convert units: `unit_convert.py 5 km mi`."""
import argparse
import sys
from fractions import Fraction
from types import MappingProxyType

UNITS = MappingProxyType({
    "length": {"m": Fraction(1), "km": Fraction(1000), "mi": Fraction(1609344, 1000), "ft": Fraction(3048, 10000), "in": Fraction(254, 10000)},
    "mass": {"g": Fraction(1), "kg": Fraction(1000), "lb": Fraction(45359237, 100000), "oz": Fraction(45359237, 1600000)},
    "data": {"B": Fraction(1), "kB": Fraction(1000), "KiB": Fraction(1024), "MiB": Fraction(1024**2), "bit": Fraction(1, 8)},
})


class Units(argparse.Action):
    def __call__(self, parser, namespace, values, option=None):
        for kind, units in UNITS.items():
            print(f"{kind}: {', '.join(units)}")
        parser.exit()


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage="%(prog)s [options] VALUE FROM TO", add_help=False)
    parser.add_argument("-?", "--usage", action="help", help="show this text")
    parser.add_argument("--units", action=Units, nargs=0, help="list the units")
    parser.add_argument("-p", "--places", type=int, default=6, metavar="N")
    parser.add_argument("value", type=Fraction)
    parser.add_argument("source")
    parser.add_argument("target")
    args = parser.parse_args()
    kinds = [kind for kind, units in UNITS.items() if args.source in units and args.target in units]
    if not kinds:
        parser.error(f"cannot convert {args.source} to {args.target}")
    units = UNITS[kinds[0]]
    result = args.value * units[args.source] / units[args.target]
    print(f"{float(result):.{args.places}g} {args.target}", f"(exactly {result})" if result.denominator < 1000 else "")


if __name__ == "__main__":
    sys.exit(main())
