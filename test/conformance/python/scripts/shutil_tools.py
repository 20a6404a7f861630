"""Copy, move and remove trees with shutil; measure and archive them."""
import os
import shutil
import sys
from pathlib import Path

base = Path("project")
for name, text in {"src/main.py": "print()\n", "src/util.pyc": "x", "docs/a.md": "# A\n", "docs/img/x.png": "png", "empty.txt": ""}.items():
    (base / name).parent.mkdir(parents=True, exist_ok=True)
    (base / name).write_text(text)
(base / "void").mkdir()
shutil.copytree(base, "copy", ignore=shutil.ignore_patterns("*.pyc", "img"))
print(sorted(str(path) for path in Path("copy").rglob("*")))
print(shutil.move("copy/docs", "moved"), os.path.exists("copy/docs"), shutil.copy("project/empty.txt", "moved"), shutil.copy2("project/src/main.py", "moved/m.py"))
try:
    shutil.copytree(base, "copy")
except FileExistsError as error:
    print(error)
shutil.copytree(base, "copy", dirs_exist_ok=True)
for call in (lambda: shutil.rmtree("gone"), lambda: shutil.copyfile("moved/m.py", "moved/m.py"), lambda: shutil.move("gone", "x"), lambda: os.rmdir("copy"), lambda: os.mkdir("copy"), lambda: os.remove("copy"), lambda: os.makedirs("moved/m.py/x")):
    try:
        call()
    except (OSError, shutil.Error) as error:
        print(type(error).__name__, error)
shutil.rmtree("copy")
shutil.rmtree("gone", ignore_errors=True)
print(shutil.which("no-such-program"), sum(path.stat().st_size for path in base.rglob("*") if path.is_file()))
print(sorted(name for name, _ in shutil.get_archive_formats() if name in ("tar", "zip", "gztar")), shutil.get_terminal_size((70, 20)))
archive = shutil.make_archive("/tmp/packed", "zip", "project")
shutil.unpack_archive(archive, "unpacked")
print(archive, sorted(path.as_posix() for path in Path("unpacked").rglob("*")))
with open("moved/a.md") as source, open("joined.txt", "w") as target:
    shutil.copyfileobj(source, target)
    sys.stdout.flush()
