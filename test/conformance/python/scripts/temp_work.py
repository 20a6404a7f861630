"""Use temporary files and folders, and leave nothing behind."""
import os
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory(prefix="work-") as folder:
    print(folder.startswith("/tmp/work-"), os.path.isdir(folder))
    (Path(folder) / "a").write_text("x")
print(os.path.exists(folder))
with tempfile.NamedTemporaryFile("w+", suffix=".txt", encoding="utf-8") as file:
    file.write("größe")
    file.flush()
    print(Path(file.name).read_text(), file.name.endswith(".txt"), file.seek(0), file.read())
print(os.path.exists(file.name))
with tempfile.SpooledTemporaryFile(max_size=10) as spool:
    spool.write(b"12345")
    print(spool._rolled)
    spool.write(b"6789012345")
    spool.seek(0)
    print(spool._rolled, spool.read())
with tempfile.TemporaryFile() as file:
    file.write(b"unnamed")
    file.seek(2)
    print(file.read())
handle, path = tempfile.mkstemp(dir=".")
os.write(handle, b"kept")
os.close(handle)
os.replace(path, "kept.txt")
made = tempfile.mkdtemp()
print(os.listdir(made), tempfile.gettempprefix(), sorted(os.listdir(".")))
os.rmdir(made)
print(os.listdir("/tmp"))
