"""Shift the times of subtitles: `srt_shift.py SECONDS < in.srt`."""
import re
import sys
from datetime import datetime, timedelta

STAMP = re.compile(r"(\d\d):(\d\d):(\d\d),(\d{3})")


def shifted(match, delta):
    hours, minutes, seconds, milliseconds = map(int, match.groups())
    time = timedelta(hours=hours, minutes=minutes, seconds=seconds, milliseconds=milliseconds) + delta
    if time < timedelta(0):
        raise ValueError(f"{match[0]} would be negative")
    return (datetime.min + time).strftime("%H:%M:%S,") + f"{time.microseconds // 1000:03d}"


delta = timedelta(seconds=float(sys.argv[1]))
blocks = re.split(r"\n\s*\n", sys.stdin.read().strip().replace("\r\n", "\n"))
for number, block in enumerate(blocks, 1):
    try:
        _, times, *text = block.split("\n")
        print(number, STAMP.sub(lambda match: shifted(match, delta), times), *text, "", sep="\n")
    except ValueError as error:
        print(f"block {number}: {error}", file=sys.stderr)
