"""Print a month, as text or HTML, with its weekdays."""
import calendar
import sys
from datetime import date

year, month = map(int, sys.argv[1:3] or (2024, 2))
try:
    print(calendar.TextCalendar(firstweekday=6).formatmonth(year, month), end="")
except (IndexError, ValueError) as error:
    sys.exit(f"error: {error}")
calendar.prmonth(year, month)
print(calendar.monthrange(year, month), calendar.isleap(year), calendar.leapdays(2000, year), calendar.weekday(year, month, 1), calendar.timegm((year, month, 1, 0, 0, 0)))
print([day.isoformat() for day in calendar.Calendar().itermonthdates(year, month)][:3], calendar.monthcalendar(year, month)[-1], list(calendar.day_abbr), calendar.month_name[month])
fridays = [date(year, month, week[calendar.FRIDAY]) for week in calendar.monthcalendar(year, month) if week[calendar.FRIDAY]]
print(*fridays)
print(calendar.HTMLCalendar().formatmonth(year, month)[:180])
