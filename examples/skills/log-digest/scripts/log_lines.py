"""The lines of a log, each with its time and its level."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_line = re.compile(r"(?P<time>\d{4}-\d\d-\d\dT[\d:.]+)\s+(?P<level>[A-Z]+)\s")


class LogLine(NamedTuple):
    time: str
    level: str
    text: str


def log_lines(path: Path) -> Iterator[LogLine]:
    """Lines without a time, such as those of a traceback, belong to the line before them."""
    last = None
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            found = _line.match(text)
            if found:
                last = LogLine(found["time"], found["level"], text.rstrip("\n"))
                yield last
            elif last is not None:
                yield last._replace(level="", text=text.rstrip("\n"))
