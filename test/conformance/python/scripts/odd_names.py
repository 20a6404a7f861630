"""Files with odd names: spaces, newlines, quotes, long names."""
import errno
import os
from pathlib import Path

folder = Path("/tmp/odd")
folder.mkdir()
names = [b"plain", "ünïcode".encode(), b"new\nline", b" space ", b"-dash", b"x" * 255, "日本".encode(), b"quote'\"", b"back\\slash", b"*star?"]
for name in names:
    with open(os.path.join(os.fsencode(folder), name), "wb") as file:
        file.write(name[:5])
found = sorted(os.listdir(os.fsencode(folder)))
print(found == sorted(names), len(found))
for name in sorted(os.listdir(folder)):
    print(ascii(name)[:40], os.fsencode(name)[:20], (folder / name).read_bytes())
for wrong, expected in (("y" * 256, OSError), ("nul\0byte", ValueError), ("gone", FileNotFoundError)):
    try:
        open(folder / wrong)
    except expected as error:
        print(type(error).__name__, errno.errorcode.get(getattr(error, "errno", 0), error))
os.rename(folder / "new\nline", folder / "renamed")
print(sorted(path.name for path in folder.glob("re*")), sorted(path.name for path in folder.glob("*[[]*")), len(list(folder.iterdir())))
