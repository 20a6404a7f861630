"""Merge JSON files deeply; later files win."""
from __future__ import annotations

import json
from functools import reduce
from pathlib import Path
import sys


def merged(base: object, over: object) -> object:
    match base, over:
        case dict(), dict():
            return {**base, **{key: merged(base[key], value) if key in base else value for key, value in over.items()}}
        case list(), list():
            return base + [item for item in over if item not in base]
        case _:
            return over


def main(paths: list[str]) -> None:
    documents = [json.loads(Path(path).read_bytes()) for path in paths]
    result = reduce(merged, documents, {})
    Path("merged.json").write_text(json.dumps(result, indent="\t", sort_keys=True, ensure_ascii=False) + "\n")
    print(json.dumps(result, separators=(",", ":")))


main(sys.argv[1:])
