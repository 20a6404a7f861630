"""Statistics of `git log --numstat --format='@%h|%an|%aI|%s'` on stdin."""
import sys
from collections import Counter, defaultdict
from datetime import datetime

authors, files, days, commits = defaultdict(lambda: [0, 0, 0]), Counter(), Counter(), 0
author = None
for line in sys.stdin:
    line = line.rstrip("\n")
    if line.startswith("@"):
        _, author, when, _ = line[1:].split("|", 3)
        commits += 1
        authors[author][0] += 1
        days[datetime.fromisoformat(when).strftime("%a")] += 1
    elif line:
        added, removed, path = line.split("\t")
        if added != "-":
            authors[author][1] += int(added)
            authors[author][2] += int(removed)
        files[path] += 1
print(f"{commits} commits by {len(authors)} authors")
for name, (count, added, removed) in sorted(authors.items(), key=lambda item: (-item[1][0], item[0])):
    bar = "+" * round(added / 10) + "-" * round(removed / 10)
    print(f"{name:<12.12} {count:>3} +{added:<5} -{removed:<5} {bar}")
print("busiest:", *(f"{path} ({count})" for path, count in files.most_common(3)))
print("days:", " ".join(f"{day}:{days[day]}" for day in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")))
