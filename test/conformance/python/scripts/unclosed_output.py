"""Write results to files that are never closed."""
import csv
import gzip
import io
import sys

out = open("results.csv", "w", newline="")
writer = csv.writer(out)
writer.writerows([[n, n * n, f"row {n}"] for n in range(500)])
copy = io.TextIOWrapper(io.BufferedWriter(io.FileIO("copy.txt", "w")), encoding="utf-16")
copy.write("ü" * 100)
packed = gzip.GzipFile("data.gz", "wb", mtime=0)
packed.write(b"flushed by hand")
packed.close()


def make():
    local = open("local.txt", "w")
    local.write("closed by reference count")


make()
print(open("local.txt").read())
sys.stdout.write("no newline at the end")
sys.stderr.write("nor here")
