"""List the events of an iCalendar file, unfolding lines and expanding weekly rules."""
import re
import sys
from datetime import datetime, timedelta


def unfolded(text):
    return re.sub(r"\r?\n[ \t]", "", text).splitlines()


def events(lines):
    current = None
    for line in lines:
        name, _, value = line.partition(":")
        name, *parameters = name.split(";")
        if line == "BEGIN:VEVENT":
            current = {}
        elif line == "END:VEVENT":
            yield current
            current = None
        elif current is not None:
            current[name] = value.replace("\\n", "\n").replace("\\,", ",")
            current.update(parameter.split("=", 1) for parameter in parameters)


def moments(event):
    start = datetime.strptime(event["DTSTART"], "%Y%m%dT%H%M%S" if "T" in event["DTSTART"] else "%Y%m%d")
    rule = dict(part.split("=") for part in event.get("RRULE", "").split(";") if part)
    step = {"WEEKLY": 7, "DAILY": 1}.get(rule.get("FREQ"), 0) * int(rule.get("INTERVAL", 1))
    for number in range(int(rule.get("COUNT", 1))):
        yield start + timedelta(days=step * number)


agenda = sorted((moment, event["SUMMARY"]) for event in events(unfolded(sys.stdin.read())) for moment in moments(event))
for moment, summary in agenda:
    print(f"{moment:%a %d %b %Y %H:%M}  {summary.splitlines()[0]}")
print(len(agenda), "events")
