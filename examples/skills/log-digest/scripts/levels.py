#!/usr/bin/env python3
"""Count the lines of each level of a log, and show the first error."""

import argparse
from collections import Counter
from pathlib import Path

from log_lines import log_lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="levels", description=__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()

    lines = [line for line in log_lines(options.file) if line.level]
    for level, count in Counter(line.level for line in lines).most_common():
        print(f"{count:6}  {level}")
    first = next((line.text for line in lines if line.level == "ERROR"), None)
    if first is not None:
        print(f"first error: {first}")


if __name__ == "__main__":
    main()
