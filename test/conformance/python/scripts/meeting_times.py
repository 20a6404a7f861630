"""Show a meeting in several time zones: `meeting_times.py 2026-03-29T09:00 ZONE…`."""
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

when = datetime.fromisoformat(sys.argv[1]).replace(tzinfo=timezone.utc)
print(f"{when:%Y-%m-%d %H:%M} UTC")
for name in sys.argv[2:]:
    try:
        print(f"{when.astimezone(ZoneInfo(name)):%Y-%m-%d %H:%M %Z} {name}")
    except (ZoneInfoNotFoundError, ValueError) as error:
        print(f"{type(error).__name__}: {name}", file=sys.stderr)
