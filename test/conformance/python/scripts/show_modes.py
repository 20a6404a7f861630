"""List files with their modes and owners, as ls -l does."""
import os
import stat
import sys
from pathlib import Path

Path("plain.txt").write_text("x")
Path("run.sh").write_text("#!/bin/sh\n")
os.chmod("plain.txt", 0o640)
os.chmod("run.sh", 0o755)
os.mkdir("folder", 0o750)
for path in sorted(Path(".").iterdir()):
    print(stat.filemode(path.stat().st_mode), path.name, os.access(path, os.X_OK), path.stat().st_nlink > 0)
sys.exit(0 if os.access("run.sh", os.X_OK) else 1)
