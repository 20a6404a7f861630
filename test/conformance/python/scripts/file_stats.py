"""Times, sizes and modes of files, set and read back."""
import os
import stat
import time
from datetime import datetime, timezone
from pathlib import Path

path = Path("report.txt")
path.write_text("0123456789")
os.utime(path, (1_600_000_000, 1_500_000_000.5))
info = path.stat()
print(info.st_size, int(info.st_mtime), info.st_mtime_ns % 10**9, datetime.fromtimestamp(info.st_mtime, timezone.utc), stat.S_ISREG(info.st_mode), stat.S_ISDIR(os.stat(".").st_mode))
print(stat.filemode(0o100644), stat.filemode(0o40755), stat.S_IMODE(0o100600) == 0o600, os.path.getsize(path), os.path.getmtime(path))
os.truncate(path, 4)
with open(path, "r+") as file:
    file.seek(8)
    file.write("end")
print(path.read_bytes(), path.samefile(Path(".") / "report.txt"), os.path.samefile(".", os.getcwd()))
before = time.time()
Path("new").touch()
print(abs(os.stat("new").st_mtime - before) < 60, os.stat("new").st_size, os.stat("new").st_mtime >= info.st_mtime)
entries = {entry.name: (entry.is_file(), entry.is_dir(), entry.stat().st_size) for entry in os.scandir(".")}
print(dict(sorted(entries.items())))
descriptor = os.open("raw", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
print(os.write(descriptor, b"abcdef"), os.lseek(descriptor, 2, os.SEEK_SET), os.read(descriptor, 3), os.fstat(descriptor).st_size)
os.ftruncate(descriptor, 3)
os.close(descriptor)
print(Path("raw").read_bytes())
