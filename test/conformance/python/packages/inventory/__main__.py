"""The command of the package."""
import argparse
import sys

from . import __version__
from .store import Store, StoreError


def main(argv=None):
    parser = argparse.ArgumentParser(prog="inventory", description="Keep an inventory.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("--file", default="inventory.json")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="add an item")
    add.add_argument("name")
    add.add_argument("count", type=int, nargs="?", default=1)
    commands.add_parser("list", help="list the items")
    args = parser.parse_args(argv)
    store = Store(args.file)
    try:
        if args.command == "add":
            print(f"{args.name}: {store.add(args.name, args.count)}")
        else:
            for name, count in store.items():
                print(f"{count:>5} {name}")
    except StoreError as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
