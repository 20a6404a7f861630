"""Import a CSV into a database file and query it."""
import argparse
import csv
import os
import re
import sqlite3
import sys


def affinity(values):
    if all(re.fullmatch(r"-?\d+", value) for value in values):
        return "INTEGER"
    if all(re.fullmatch(r"-?\d+(\.\d+)?", value) for value in values):
        return "REAL"
    return "TEXT"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("csv")
parser.add_argument("sql", nargs="?", default="SELECT count(*) AS rows FROM data")
parser.add_argument("--db", default="/tmp/data.db")
args = parser.parse_args()

with open(args.csv, newline="", encoding="utf-8") as file:
    header, *rows = csv.reader(file)
columns = [f"{quoted(name)} {affinity([row[n] for row in rows])}" for n, name in enumerate(header)]
with sqlite3.connect(args.db) as db:
    db.execute(f"CREATE TABLE data ({', '.join(columns)})")
    db.executemany(f"INSERT INTO data VALUES ({', '.join('?' * len(header))})", rows)
print(db.in_transaction, columns)
db.close()

with sqlite3.connect(f"file:{args.db}?mode=ro", uri=True) as db:
    try:
        cursor = db.execute(args.sql)
    except sqlite3.Error as error:
        sys.exit(f"error: {error}")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(column[0] for column in cursor.description)
    writer.writerows(cursor)
db.close()
print(sorted(os.listdir(os.path.dirname(args.db))), os.path.getsize(args.db) % 4096)
