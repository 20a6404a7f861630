"""Compress text with a Huffman code, and show the code."""
import heapq
import itertools
import sys
from collections import Counter


def codes(text):
    order = itertools.count()
    heap = [(count, next(order), symbol) for symbol, count in sorted(Counter(text).items())]
    heapq.heapify(heap)
    if len(heap) == 1:
        return {heap[0][2]: "0"}
    while len(heap) > 1:
        low, high = heapq.heappop(heap), heapq.heappop(heap)
        heapq.heappush(heap, (low[0] + high[0], next(order), (low[2], high[2])))

    def walk(node, prefix):
        if isinstance(node, tuple):
            yield from walk(node[0], prefix + "0")
            yield from walk(node[1], prefix + "1")
        else:
            yield node, prefix
    return dict(walk(heap[0][2], "")) if heap else {}


text = sys.stdin.read()
table = codes(text)
bits = "".join(table[symbol] for symbol in text)
packed = int("1" + bits, 2).to_bytes((len(bits) + 8) // 8, "big")
with open("packed.bin", "wb") as file:
    file.write(packed)
for symbol, code in sorted(table.items(), key=lambda item: (len(item[1]), item[1])):
    print(f"{symbol!r:>6} {code}")
decoded, inverse, current = [], {code: symbol for symbol, code in table.items()}, ""
for bit in bin(int.from_bytes(packed, "big"))[3:]:
    current += bit
    if current in inverse:
        decoded.append(inverse[current])
        current = ""
print(len(text.encode()), "->", len(packed), "".join(decoded) == text)
