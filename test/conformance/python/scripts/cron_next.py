"""Print the next runs of a cron expression after a given time."""
import argparse
import sys
from datetime import datetime, timedelta

FIELDS = [("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 6)]


def parse_field(text, name, low, high):
    values = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, _, last = span.partition("-")
        if span == "*":
            first, last = low, high
        elif not last:
            last = high if step else first
        try:
            numbers = range(int(first), int(last) + 1, int(step or 1))
        except ValueError as error:
            raise argparse.ArgumentTypeError(f"{name}: {part!r} is not a range") from error
        if not numbers or numbers[0] < low or numbers[-1] > high:
            raise argparse.ArgumentTypeError(f"{name}: {part!r} is outside {low}-{high}")
        values.update(numbers)
    return values


def expression(text):
    parts = text.split()
    if len(parts) != 5:
        raise argparse.ArgumentTypeError(f"expected 5 fields, got {len(parts)}")
    return [parse_field(part, *field) for part, field in zip(parts, FIELDS)]


def next_runs(fields, after):
    minutes, hours, days, months, weekdays = fields
    moment = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    while True:
        if moment.month not in months or moment.day not in days or (moment.weekday() + 1) % 7 not in weekdays:
            moment = moment.replace(hour=0, minute=0) + timedelta(days=1)
        elif moment.hour not in hours:
            moment = moment.replace(minute=0) + timedelta(hours=1)
        elif moment.minute not in minutes:
            moment += timedelta(minutes=1)
        else:
            yield moment
            moment += timedelta(minutes=1)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("expression", type=expression)
parser.add_argument("--after", type=datetime.fromisoformat, default=datetime(2024, 1, 1))
parser.add_argument("-n", type=int, default=4)
args = parser.parse_args()
for _, moment in zip(range(args.n), next_runs(args.expression, args.after)):
    print(moment.strftime("%a %Y-%m-%d %H:%M"))
sys.exit()
