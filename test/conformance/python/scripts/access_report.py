"""Report on a web server's access log in the combined format."""
import re
import sys
from collections import Counter
from datetime import datetime, timezone
from urllib.parse import parse_qs, urlsplit

ENTRY = re.compile(r'(?P<ip>\S+) \S+ \S+ \[(?P<time>[^\]]+)\] "(?P<method>\S+) (?P<url>\S+)[^"]*" (?P<status>\d{3}) (?P<size>\d+|-)')


def entries(lines):
    for line in lines:
        if match := ENTRY.match(line):
            yield match.groupdict()


def human(size):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.1f} {unit}" if unit != "B" else f"{size} B"
        size /= 1024


status, pages, terms, hours, traffic = Counter(), Counter(), Counter(), Counter(), 0
for entry in entries(sys.stdin):
    url = urlsplit(entry["url"])
    status[entry["status"][0] + "xx"] += 1
    pages[url.path] += 1
    terms.update(parse_qs(url.query).get("q", []))
    when = datetime.strptime(entry["time"], "%d/%b/%Y:%H:%M:%S %z").astimezone(timezone.utc)
    hours[when.hour] += 1
    traffic += 0 if entry["size"] == "-" else int(entry["size"])

print("status ", " ".join(f"{key}={count}" for key, count in sorted(status.items())))
print("traffic", human(traffic))
for path, count in pages.most_common(5):
    print(f"{count:4d} {path}")
print("terms  ", dict(terms))
peak = max(hours, key=lambda hour: (hours[hour], -hour), default=None)
print("peak   ", "none" if peak is None else f"{peak:02d}:00 UTC {'#' * hours[peak]}")
