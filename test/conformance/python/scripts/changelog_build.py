"""Group conventional commits from stdin (`hash subject`) into a changelog."""
import argparse
import datetime
import re
import sys
from collections import defaultdict

COMMIT = re.compile(r"^(?P<hash>[0-9a-f]{7,40})\s+(?P<type>\w+)(?:\((?P<scope>[^)]+)\))?(?P<breaking>!)?:\s+(?P<subject>.+?)(?:\s+\(#(?P<pr>\d+)\))?$")
TITLES = {"feat": "Added", "fix": "Fixed", "perf": "Faster", "docs": "Documentation"}


def day(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"not a date: {text!r}") from error


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("version")
parser.add_argument("--date", type=day, required=True)
parser.add_argument("--repo", default="https://example.org/repo")
args = parser.parse_args()

sections, skipped = defaultdict(list), []
for line in map(str.strip, sys.stdin):
    match = COMMIT.match(line)
    if match is None:
        if line:
            skipped.append(line)
        continue
    entry = f"**{match['scope']}**: " if match["scope"] else ""
    entry += match["subject"][0].upper() + match["subject"][1:]
    entry += f" ([#{match['pr']}]({args.repo}/pull/{match['pr']}))" if match["pr"] else f" ({match['hash'][:7]})"
    sections["Breaking" if match["breaking"] else TITLES.get(match["type"], "Other")].append(entry)

print(f"## {args.version} - {args.date:%Y-%m-%d}")
for title in ["Breaking", *TITLES.values(), "Other"]:
    if title in sections:
        print(f"\n### {title}\n")
        print(*(f"- {entry}" for entry in sorted(sections[title], key=str.casefold)), sep="\n")
if skipped:
    print(f"skipped {len(skipped)} lines, first: {skipped[0]!r}", file=sys.stderr)
