"""Keep stock with Counter, deque, defaultdict, ChainMap and namedtuple."""
import sys
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque, namedtuple

Move = namedtuple("Move", "item count place", defaults=["main"])


class Limited(UserDict):
    def __setitem__(self, key, value):
        if value < 0:
            raise ValueError(f"{key} would be {value}")
        super().__setitem__(key, value)


stock, history, places = Limited(), deque(maxlen=3), defaultdict(list)
for line in sys.stdin:
    item, count, *place = line.split()
    move = Move(item, int(count), *place)
    try:
        stock[move.item] = stock.get(move.item, 0) + move.count
    except ValueError as error:
        print("refused:", error)
        continue
    history.append(move)
    places[move.place].append(move.item)
print(dict(stock), stock)
print(*history, sep="\n")
print(dict(places), places["new"])
need = Counter(a=3, b=1)
have = Counter({"a": 1, "b": 5, "c": 2})
print(need - have, have & need, have | need, +Counter(x=-1), have.total(), sorted(have.elements()), (need + have).most_common(1))
settings = ChainMap({"color": "red"}, {"user": "ana", "color": "blue"})
child = settings.new_child({"user": "bo"})
print(child["color"], child["user"], dict(sorted(settings.items())), child.parents["user"])
order = OrderedDict.fromkeys("abc")
order.move_to_end("a")
history.rotate(1)
print(list(order), order.popitem(last=False), history[0]._asdict() if history else None, UserList([1, 2]) + [3], Move._make(["x", 1, "y"])._replace(count=9))
