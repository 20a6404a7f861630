"""A small inventory in an in-memory database: schema, triggers, joins, window functions."""
import sqlite3
import sys

SCHEMA = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, price REAL CHECK (price >= 0));
CREATE TABLE move (item_id INTEGER REFERENCES item (id), at TEXT, quantity INTEGER);
CREATE TABLE audit (note TEXT);
CREATE TRIGGER priced AFTER UPDATE OF price ON item BEGIN
  INSERT INTO audit VALUES (old.name || ': ' || old.price || ' -> ' || new.price);
END;
"""

db = sqlite3.connect(":memory:")
db.row_factory = sqlite3.Row
db.execute("PRAGMA foreign_keys = ON")
db.executescript(SCHEMA)
with db:
    db.executemany("INSERT INTO item (name, price) VALUES (?, ?)", [("bolt", 0.25), ("nüt", 0.5), ("gear", 12)])
    db.executemany(
        "INSERT INTO move VALUES (:item, :at, :quantity)",
        [{"item": 1 + n % 3, "at": f"2026-01-{n + 1:02d}", "quantity": (n * 7) % 11 - 3} for n in range(9)],
    )
for row in db.execute("""
    SELECT name, at, quantity, sum(quantity) OVER (PARTITION BY item_id ORDER BY at) AS stock
    FROM move JOIN item ON item.id = item_id ORDER BY name, at"""):
    print("{name:<5} {at} {quantity:>3} {stock:>3}".format(**row))
for statement in ("INSERT INTO item (name, price) VALUES ('bolt', 1)", "INSERT INTO item (name, price) VALUES ('x', -1)", "INSERT INTO move VALUES (99, '', 1)", "SELECT nope"):
    try:
        with db:
            db.execute(statement)
    except sqlite3.Error as error:
        print(type(error).__name__, error, sep=": ")
with db:
    db.execute("UPDATE item SET price = price * 2 WHERE name LIKE 'n%'")
print([tuple(row) for row in db.execute("SELECT * FROM audit")], db.total_changes)
cursor = db.execute("SELECT name, price FROM item ORDER BY price DESC LIMIT 1")
print([column[0] for column in cursor.description], tuple(cursor.fetchone()), cursor.fetchone(), sys.getsizeof(db) > 0)
db.close()
