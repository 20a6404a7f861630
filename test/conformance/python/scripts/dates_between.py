"""Working days, ages and countdowns with datetime."""
import argparse
from datetime import MAXYEAR, date, datetime, time, timedelta, timezone


def workdays(start, end):
    return sum(1 for n in range((end - start).days) if (start + timedelta(n)).weekday() < 5)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("start", type=date.fromisoformat)
parser.add_argument("end", type=date.fromisoformat)
args = parser.parse_args()
if args.end < args.start:
    parser.error("END is before START")
days = (args.end - args.start).days
print(f"{days} days, {workdays(args.start, args.end)} working days, {days // 7} weeks and {days % 7} days")
for day in (args.start, args.end):
    print(day.strftime("%A %d %B %Y, week %V of %G, day %j, %a %b %y %u %U"), day.isocalendar(), day.toordinal(), f"{day:%d.%m.%Y}")
zone = timezone(timedelta(hours=5, minutes=30), "IST")
moment = datetime.combine(args.start, time(23, 59, 59, 123456), zone)
print(moment, moment.astimezone(timezone.utc), moment.isoformat(timespec="milliseconds"), moment.timestamp(), moment.utcoffset(), moment.tzname())
print(datetime.fromtimestamp(86400 * days, timezone.utc), datetime(2024, 2, 29) + timedelta(days=365), timedelta(days=-1, seconds=5), timedelta(hours=25.5) / 2, timedelta(1) // timedelta(hours=7), divmod(timedelta(1), timedelta(hours=7)))
print(datetime.strptime("31 Dec 1999 11:59 PM", "%d %b %Y %I:%M %p"), datetime.strptime("2024-W05-1", "%G-W%V-%u"), datetime.fromisoformat("2024-01-01T10:00:00+02:00"), datetime.fromisoformat("20240101T1000Z"), time.fromisoformat("04:23:01.5"))
print(repr(moment), date.max, datetime.min, moment.replace(microsecond=0, tzinfo=None), moment.timetuple()[:6], moment.time() < time(23, 59, 59, 200000, zone) if False else time.max)
for call in (lambda: date(2023, 2, 29), lambda: datetime.strptime("x", "%Y"), lambda: date(MAXYEAR, 12, 31) + timedelta(1), lambda: moment < datetime(2020, 1, 1), lambda: date.fromisoformat("24-1-1"), lambda: timedelta(days=10**10)):
    try:
        print(call())
    except (ValueError, OverflowError, TypeError) as error:
        print(type(error).__name__, error)
