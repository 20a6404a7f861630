"""Number or change the lines of files in place with fileinput."""
import fileinput
import sys

if sys.argv[1:2] == ["-i"]:
    pattern, replacement, *names = sys.argv[2:]
    with fileinput.input(names, inplace=True, backup=".bak", encoding="utf-8") as lines:
        for line in lines:
            print(line.replace(pattern, replacement), end="")
    print("changed", len(names), "files")
else:
    try:
        for line in fileinput.input(encoding="utf-8"):
            print(f"{fileinput.filename()}:{fileinput.filelineno()}:{fileinput.lineno()}{' first' if fileinput.isfirstline() else ''}: {line}", end="")
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
