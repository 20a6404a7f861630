"""Add up durations such as 1h30m, PT15M or 90s."""
import re
import sys
from datetime import timedelta

SHORT = re.compile(r"(?:(?P<days>\d+(?:\.\d+)?)d)?\s*(?:(?P<hours>\d+)h)?\s*(?:(?P<minutes>\d+)m(?!s))?\s*(?:(?P<seconds>\d+(?:\.\d+)?)s)?\s*(?:(?P<milliseconds>\d+)ms)?", re.I)
ISO = re.compile(r"P(?:(?P<weeks>\d+)W)?(?:(?P<days>\d+)D)?(?:T(?:(?P<hours>\d+)H)?(?:(?P<minutes>\d+)M)?(?:(?P<seconds>[\d.]+)S)?)?")


def parse(text):
    match = (ISO if text.startswith("P") else SHORT).fullmatch(text)
    if not match or not any(match.groups()):
        raise ValueError(f"cannot read {text!r}")
    return timedelta(**{name: float(value) for name, value in match.groupdict().items() if value})


total = timedelta()
for word in sys.argv[1:]:
    try:
        duration = parse(word)
    except ValueError as error:
        print(error, file=sys.stderr)
        continue
    total += duration
    print(f"{word:>12} {duration!s:>18} {duration.total_seconds():>12.3f}")
print("total", total, f"{total / timedelta(hours=1):.4f} h")
