#!/usr/bin/env python3
"""Print the lines of a log from one time to another, both included."""

import argparse
from pathlib import Path

from log_lines import log_lines


def main() -> None:
    parser = argparse.ArgumentParser(prog="between", description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("since", metavar="FROM", help="a time, which can be cut short: 2026-03-01T09")
    parser.add_argument("until", metavar="TO", help="likewise")
    options = parser.parse_args()

    for line in log_lines(options.file):
        if line.time >= options.since and line.time[: len(options.until)] <= options.until:
            print(line.text)


if __name__ == "__main__":
    main()
