"""Use Python functions, aggregates, collations and converters inside SQL."""
import datetime
import json
import math
import sqlite3
import statistics


class Median:
    def __init__(self):
        self.values = []

    def step(self, value):
        self.values.append(value)

    def finalize(self):
        return statistics.median(self.values) if self.values else None


sqlite3.register_adapter(dict, lambda value: json.dumps(value, sort_keys=True))
sqlite3.register_converter("json", json.loads)
sqlite3.register_adapter(datetime.date, datetime.date.isoformat)
sqlite3.register_converter("day", lambda value: datetime.date.fromisoformat(value.decode()))

db = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES, isolation_level=None)
db.create_function("hypot", 2, math.hypot, deterministic=True)
db.create_aggregate("median", 1, Median)
db.create_collation("by_length", lambda a, b: (len(a) > len(b)) - (len(a) < len(b)))
db.execute("CREATE TABLE t (name TEXT, meta json, at day, blob BLOB)")
for number, name in enumerate(["delta", "a", "ccc", "bb"]):
    db.execute("INSERT INTO t VALUES (?, ?, ?, ?)", (name, {"n": number, "a": [name]}, datetime.date(2026, 1, number + 1), bytes(range(number))))
print(db.execute("SELECT hypot(3, 4), median(length(name)), group_concat(name, '|') FROM t").fetchone())
print([name for (name,) in db.execute("SELECT name FROM t ORDER BY name COLLATE by_length")])
for row in db.execute("SELECT meta, at, blob, hex(blob) FROM t WHERE json_extract(meta, '$.n') > 1"):
    print(row)
db.execute("BEGIN")
db.execute("DELETE FROM t")
db.execute("ROLLBACK")
db.execute("SAVEPOINT one")
db.execute("UPDATE t SET name = upper(name)")
db.execute("RELEASE one")
print("\n".join(line for line in db.iterdump() if line.startswith("INSERT")))
print(db.execute("SELECT date('2026-01-31', '+1 month'), printf('%08.3f', 3.14159), 7 / 2, 7 % -3, 1e999, round(2.5), instr('äbc', 'c')").fetchone())
db.create_function("fails", 0, lambda: 1 / 0)
try:
    db.execute("SELECT fails()")
except sqlite3.OperationalError as error:
    print(error)
