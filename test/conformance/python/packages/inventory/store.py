import json
from pathlib import Path


class StoreError(Exception):
    pass


class Store:
    def __init__(self, path):
        self.path = Path(path)

    def load(self):
        try:
            return json.loads(self.path.read_text())
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise StoreError(f"{self.path}: {error}") from error

    def add(self, name, count):
        items = self.load()
        items[name] = items.get(name, 0) + count
        if items[name] < 0:
            raise StoreError(f"{name} would be {items[name]}")
        self.path.write_text(json.dumps(items, indent=1, sort_keys=True))
        return items[name]

    def items(self):
        return sorted(self.load().items())
