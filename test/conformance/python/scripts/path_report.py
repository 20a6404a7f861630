"""What pathlib and os.path make of paths, without touching files."""
import os
import posixpath
import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

for text in sys.argv[1:] or ["a/b/../c.tar.gz", "/", ".", "..", "~/x", "/a//b/./c/", "no.ext.", ".hidden", "a b/ü.TXT"]:
    path = PurePosixPath(text)
    print(f"{text!r}: {path} name={path.name!r} stem={path.stem!r} suffixes={path.suffixes} parts={path.parts} parent={path.parent}")
    print("  ", os.path.normpath(text), os.path.split(text), os.path.splitext(text), os.path.isabs(text), posixpath.basename(text))
path = PurePosixPath("/srv/app/data/file.csv")
print(path.with_suffix(".json"), path.with_name("other"), path.with_stem("new"), path.relative_to("/srv"), path.is_relative_to("/etc"), path.match("data/*.csv"), list(path.parents)[:2], path / "/abs", path.as_uri())
print(PureWindowsPath(r"C:\Users\x\..\y.txt").parts, PureWindowsPath("c:/A") == PureWindowsPath("C:\\a"), repr(Path("x")), Path("a") < Path("b"), os.fspath(Path("q")))
print(os.path.commonpath(["/a/b/c", "/a/b/d"]), os.path.commonprefix(["abc", "abd"]), os.path.relpath("/a/b", "/a/c/d"), os.path.join("a", "", "b", "/c"), Path("x/../y").resolve(), Path("nope").exists(), Path.cwd(), Path("~/a").expanduser())
for call in (lambda: path.relative_to("/etc"), lambda: PurePosixPath("/").with_name("x"), lambda: path.with_suffix("json"), lambda: Path("nope").stat(), lambda: Path("nope").resolve(strict=True), lambda: os.listdir("nope"), lambda: os.rmdir("nope")):
    try:
        call()
    except (ValueError, OSError) as error:
        print(type(error).__name__, error)
