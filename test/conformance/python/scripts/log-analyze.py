"""Summarise an application log: levels, slow requests, errors by message."""
import argparse
import re
import sys
from collections import Counter, defaultdict
from datetime import datetime, timedelta

LINE = re.compile(
    r"(?P<time>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)Z?\s+"
    r"(?P<level>DEBUG|INFO|WARN(?:ING)?|ERROR)\s+"
    r"\[(?P<logger>[^\]]+)\]\s+(?P<message>.*)"
)


def normalised(message):
    message = re.sub(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "<uuid>", message)
    return re.sub(r"\d+", lambda m: "<n>" if len(m[0]) > 1 else m[0], message)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("log", type=argparse.FileType())
parser.add_argument("--slow", type=float, default=1.0, metavar="SECONDS")
args = parser.parse_args()

levels, errors, slow, gaps = Counter(), defaultdict(list), [], []
last = None
for number, line in enumerate(args.log, 1):
    match = LINE.match(line)
    if not match:
        levels["(unparsed)"] += 1
        continue
    when = datetime.fromisoformat(match["time"])
    levels[match["level"].replace("WARNING", "WARN")] += 1
    if match["level"] == "ERROR":
        errors[normalised(match["message"])].append(number)
    if took := re.search(r"took (?P<n>[\d.]+)(?P<unit>ms|s)\b", match["message"]):
        seconds = float(took["n"]) / (1000 if took["unit"] == "ms" else 1)
        if seconds >= args.slow:
            slow.append((seconds, number))
    if last and when - last > timedelta(minutes=5):
        gaps.append(f"{last:%H:%M:%S} to {when:%H:%M:%S} ({when - last})")
    last = when

for level, count in levels.most_common():
    print(f"{level:<12}{count:>5}")
for message, lines in sorted(errors.items(), key=lambda item: (-len(item[1]), item[0])):
    print(f"{len(lines)} x {message} (lines {', '.join(map(str, lines))})")
for seconds, number in sorted(slow, reverse=True)[:3]:
    print(f"slow: {seconds:.3f} s in line {number}")
for gap in gaps:
    print("gap:", gap)
