"""Simulate jobs by priority with heapq and intervals with bisect."""
import bisect
import heapq
import itertools
import json
import sys

order = itertools.count()
queue = []
for line in sys.stdin:
    priority, name, duration = line.rstrip().split(",")
    heapq.heappush(queue, (-int(priority), next(order), name, float(duration)))
clock, starts, names = 0.0, [], []
while queue:
    priority, _, name, duration = heapq.heappop(queue)
    starts.append(clock)
    names.append(name)
    print(f"{clock:6.2f} {name} (priority {-priority})")
    clock += duration
for when in (0, 1.5, 99):
    index = bisect.bisect_right(starts, when) - 1
    print(f"at {when}: {names[index] if index >= 0 else 'idle'}")
numbers = [5, 1, 8, 3, 9, 2]
heapq.heapify(numbers)
print(numbers, heapq.nlargest(2, numbers), heapq.nsmallest(2, numbers, key=lambda n: -n), heapq.heappushpop(numbers, 0), heapq.heapreplace(numbers, 7))
scores = []
for score in (70, 95, 60, 95):
    bisect.insort(scores, score)
print(scores, ["FDCBA"[bisect.bisect([60, 70, 80, 90], score)] for score in scores], json.dumps(list(heapq.merge([1, 4], [2, 3], reverse=False))))
print(bisect.bisect_left([{"k": 1}, {"k": 3}], 2, key=lambda item: item["k"]))
