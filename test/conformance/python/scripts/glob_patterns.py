"""Match files with glob and fnmatch."""
import fnmatch
import glob
import os
import re
import sys

for pattern in sys.argv[1:]:
    print(f"{pattern}: {sorted(glob.glob(pattern, recursive=True))}")
print(sorted(glob.glob("*", root_dir="a")), sorted(glob.iglob("**/*.py", recursive=True)), glob.escape("a[1]*?"), glob.has_magic("x?"))
print(sorted(glob.glob("**", include_hidden=True, recursive=True)))
names = ["a.py", "B.PY", "test_a.py", "x[1].txt", ".hidden", "a.py.bak"]
for pattern in ("*.py", "[!a]*", "test_?.py", "x[[]1].txt", "*", "[a-c]*", "a.p[xy]"):
    print(pattern, fnmatch.filter(names, pattern), [name for name in names if fnmatch.fnmatch(name, pattern)] == fnmatch.filter(names, pattern))
print(fnmatch.translate("a*[!b]?.txt"), bool(re.match(fnmatch.translate("a*"), "abc")), os.path.exists("a"))
