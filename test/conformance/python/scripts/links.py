"""Symbolic links: create, read, follow, break."""
import errno
import os
from pathlib import Path

Path("data").mkdir()
Path("data/a.txt").write_text("content")
os.symlink("data/a.txt", "to-file")
os.symlink("data", "to-folder")
os.symlink("gone", "dangling")
os.symlink("loop", "loop")
for name in ("to-file", "to-folder", "dangling", "loop"):
    path = Path(name)
    print(name, os.readlink(name), path.is_symlink(), path.exists(), path.is_file(), path.is_dir(), os.path.lexists(name))
print(Path("to-file").read_text(), sorted(os.listdir("to-folder")), Path("to-folder/a.txt").resolve(), os.path.realpath("dangling"))
for name in ("loop", "dangling"):
    try:
        open(name)
    except OSError as error:
        print(type(error).__name__, errno.errorcode[error.errno], error.filename)
Path("to-folder/b.txt").write_text("through")
print(sorted(str(path) for path in Path(".").rglob("*")), [sorted(files) for _, _, files in os.walk("data")])
os.remove("to-folder")
print(Path("data/b.txt").exists(), os.lstat("to-file").st_size, os.stat("to-file").st_size)
for name in ("to-file", "dangling", "loop"):
    os.unlink(name)
print(sorted(os.listdir(".")))
