"""Order build targets by their dependencies, read as `target: dep dep`."""
import graphlib
import sys

graph = {}
for line in sys.stdin:
    target, _, needs = line.partition(":")
    if target.strip():
        graph[target.strip()] = needs.split()
sorter = graphlib.TopologicalSorter(graph)
try:
    sorter.prepare()
except graphlib.CycleError as error:
    print("cycle:", " -> ".join(error.args[1]))
    sys.exit(1)
wave = 0
while sorter.is_active():
    ready = sorted(sorter.get_ready())
    wave += 1
    print(f"{wave}. {', '.join(ready)}")
    sorter.done(*ready)
print(list(graphlib.TopologicalSorter({"b": "a", "c": "b"}).static_order()))
