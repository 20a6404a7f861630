"""Hash files with a pool of threads."""
import hashlib
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path


def digest(path):
    return path, hashlib.sha256(path.read_bytes()).hexdigest()[:16]


paths = sorted(Path(".").rglob("*.txt"))
with ThreadPoolExecutor(max_workers=4) as pool:
    for path, text in pool.map(digest, paths):
        print(text, path)
print(len(paths), "files", file=sys.stderr)
