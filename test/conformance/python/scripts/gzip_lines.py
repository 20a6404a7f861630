"""Read a gzipped log line by line, filter, and write it gzipped."""
import gzip
import sys
from pathlib import Path

needle = sys.argv[1] if len(sys.argv) > 1 else "error"
with gzip.GzipFile("in.log.gz", "wb", mtime=0) as file:
    for number in range(100):
        file.write(f"{number:03d} {'error' if number % 9 == 0 else 'ok'} ü\n".encode())
with gzip.open("in.log.gz", "rt", encoding="utf-8") as lines:
    matching = [line for line in lines if needle in line]
print(len(matching), "".join(matching[:2]), end="")
raw = Path("in.log.gz").read_bytes()
Path("cut.gz").write_bytes(raw[:-9])
try:
    gzip.open("cut.gz").read()
except (EOFError, gzip.BadGzipFile) as error:
    print(type(error).__name__, error)
Path("cut.gz").write_text("plain")
try:
    with gzip.open("cut.gz") as file:
        file.readline()
except gzip.BadGzipFile as error:
    print(type(error).__name__, error)
Path("cut.gz").unlink()
