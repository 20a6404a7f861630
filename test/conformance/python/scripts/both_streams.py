"""Report progress on stderr and results on stdout, in turns."""
import io
import os
import sys

for number in range(5):
    print(f"result {number}")
    print(f"progress {number}", file=sys.stderr)
sys.stdout.write("partial ")
sys.stderr.write("also partial\n")
sys.stdout.flush()
os.write(1, b"raw ")
print("flushed", flush=True)
os.write(2, "raw error ü\n".encode())
sys.stdout.buffer.write(b"bytes ")
sys.stdout.buffer.flush()
print("after bytes")
old, sys.stdout = sys.stdout, io.StringIO()
print("captured")
text, sys.stdout = sys.stdout.getvalue(), old
print(repr(text), sys.stdout.encoding, sys.stderr.encoding, sys.stdin.encoding, sys.stdout.errors, sys.stderr.errors)
print(sys.stdout.isatty(), sys.stdin.isatty(), sys.stdout.fileno(), sys.stderr.fileno(), sys.stdout.name, sys.stdin.mode, sys.stdout.line_buffering)
print("a", "b", sep="\t", end="!\n")
sys.stdout.reconfigure(encoding="latin-1", errors="replace")
print("latin ü €".encode("ascii", "replace").decode(), file=sys.__stdout__)
sys.stdout.reconfigure(encoding="utf-8", errors="strict", line_buffering=True)
print("end ü")
