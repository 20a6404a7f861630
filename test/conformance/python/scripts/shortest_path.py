"""Shortest paths in a weighted graph from `from to weight` lines."""
import heapq
import math
import sys
from collections import defaultdict


def dijkstra(graph, start):
    distances, previous, queue = {start: 0.0}, {}, [(0.0, start)]
    while queue:
        distance, node = heapq.heappop(queue)
        if distance > distances.get(node, math.inf):
            continue
        for target, weight in sorted(graph[node].items()):
            if distance + weight < distances.get(target, math.inf):
                distances[target], previous[target] = distance + weight, node
                heapq.heappush(queue, (distance + weight, target))
    return distances, previous


def path_to(previous, node):
    path = [node]
    while node in previous:
        path.append(node := previous[node])
    return path[::-1]


graph = defaultdict(dict)
for line in sys.stdin:
    source, target, weight = line.split()
    graph[source][target] = float(weight)
    graph[target].setdefault(source, float(weight))
start, *goals = sys.argv[1:]
if start not in graph:
    sys.exit(f"no node {start!r}")
distances, previous = dijkstra(graph, start)
for goal in goals or sorted(distances):
    print(f"{goal}: {' -> '.join(path_to(previous, goal))} ({distances[goal]:g})" if goal in distances else f"{goal}: unreachable")
