"""A module to run with -m."""
import sys
from importlib import resources

from .store import Store

if __name__ == "__main__":
    items = Store(sys.argv[1] if len(sys.argv) > 1 else "inventory.json").items()
    template = resources.files(__package__).joinpath("report.txt").read_text(encoding="utf-8")
    print(template.format(count=len(items), total=sum(count for _, count in items)), end="")
    print(__name__, __package__, sys.argv[0], __spec__.name)
    raise SystemExit(len(items) == 0)
