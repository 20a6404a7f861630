"""Notes with full text search, kept in a database in the temporary folder."""
import argparse
import sqlite3
import sys
from contextlib import closing


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("seed", help="add the notes on stdin, one a line, and list them")
    search = commands.add_parser("search", help="seed from stdin, then search")
    search.add_argument("words", nargs="+")
    search.add_argument("--limit", type=int, default=3)
    args = parser.parse_args()
    with closing(sqlite3.connect("/tmp/notes.db")) as db:
        db.execute("CREATE TABLE IF NOT EXISTS note (id INTEGER PRIMARY KEY, text TEXT)")
        with db:
            for line in sys.stdin:
                db.execute("INSERT INTO note (text) VALUES (?)", (line.strip(),))
        if args.command == "seed":
            rows = db.execute("SELECT id, text FROM note ORDER BY text COLLATE NOCASE")
        else:
            where = " AND ".join(["text LIKE '%' || ? || '%'"] * len(args.words))
            rows = db.execute(f"SELECT id, text FROM note WHERE {where} ORDER BY id LIMIT ?", (*args.words, args.limit))
        found = rows.fetchall()
    for number, text in found:
        print(f"{number:>3}  {text}")
    print(f"{len(found)} notes", file=sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
