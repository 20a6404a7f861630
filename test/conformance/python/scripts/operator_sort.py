"""Sort records from JSON by several keys, each ascending or descending: `-size name`."""
import json
import operator
import sys

records = json.load(sys.stdin)
for key in reversed(sys.argv[1:]):
    try:
        records.sort(key=operator.itemgetter(key.lstrip("-")), reverse=key.startswith("-"))
    except (KeyError, TypeError) as error:
        sys.exit(f"cannot sort by {key}: {error}")
for record in records:
    print(*record.values(), sep="\t")
print(operator.itemgetter(1, -1)("abc"), operator.attrgetter("__class__.__name__")(1), operator.methodcaller("split", ",")("a,b"))
print(operator.concat([1], [2]), operator.contains("abc", "b"), operator.indexOf([5, 6], 6), operator.countOf("banana", "a"), operator.length_hint(iter([1, 2])), operator.index(True))
