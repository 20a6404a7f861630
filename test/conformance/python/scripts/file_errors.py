"""Every common failure of file operations, by errno."""
import errno
import os
from pathlib import Path

Path("file").write_text("x")
os.mkdir("folder")
Path("folder/inner").touch()
attempts = {
    "open missing": lambda: open("gone"),
    "open folder": lambda: open("folder"),
    "open below file": lambda: open("file/x"),
    "write folder": lambda: open("folder", "w"),
    "exclusive": lambda: open("file", "x"),
    "mkdir twice": lambda: os.mkdir("folder"),
    "mkdir deep": lambda: os.mkdir("a/b/c"),
    "rmdir full": lambda: os.rmdir("folder"),
    "rmdir file": lambda: os.rmdir("file"),
    "remove missing": lambda: os.remove("gone"),
    "rename missing": lambda: os.rename("gone", "x"),
    "rename onto folder": lambda: os.rename("file", "folder"),
    "rename folder onto file": lambda: os.rename("folder", "file"),
    "listdir file": lambda: os.listdir("file"),
    "chdir missing": lambda: os.chdir("gone"),
    "stat missing": lambda: os.stat("gone"),
    "readlink file": lambda: os.readlink("file"),
    "bad descriptor": lambda: os.read(99, 1),
    "closed descriptor": lambda: os.close(98),
    "negative seek": lambda: open("file").seek(-1),
    "write skill": lambda: open("/skill/new", "w"),
    "read closed": lambda: (lambda file: (file.close(), file.read()))(open("file")),
    "remove skill": lambda: os.remove("/skill/scripts/file_errors.py"),
}
for name, attempt in attempts.items():
    try:
        print(name, "->", attempt())
    except OSError as error:
        print(f"{name}: {type(error).__name__} {errno.errorcode.get(error.errno)} {error.strerror} {error.filename!r} {error.filename2!r}")
    except ValueError as error:
        print(f"{name}: ValueError {error}")
print(os.strerror(errno.ENOENT), FileNotFoundError(2, "text", "name"), OSError(errno.EEXIST, "x").__class__.__name__, os.access("file", os.R_OK), os.access("gone", os.F_OK))
