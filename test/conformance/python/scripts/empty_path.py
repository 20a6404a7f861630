"""What an empty path means: no file at all."""
import os
import sys

path = sys.argv[1] if len(sys.argv) > 1 else ""
print(repr(path), os.path.exists(path), os.path.isdir(path), repr(os.path.dirname("file.txt")))
for attempt in (open, os.listdir, os.stat, os.mkdir, os.remove):
    try:
        print(attempt.__name__, type(attempt(path)).__name__)
    except OSError as error:
        print(attempt.__name__, type(error).__name__, error.filename)
os.makedirs(os.path.dirname("file.txt") or ".", exist_ok=True)
