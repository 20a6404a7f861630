"""Compare two files: unified, context or side by side."""
import difflib
import sys
from pathlib import Path

style = sys.argv[3] if len(sys.argv) > 3 else "unified"
old, new = (Path(name).read_text().splitlines(keepends=True) for name in sys.argv[1:3])
names = {"fromfile": sys.argv[1], "tofile": sys.argv[2]}
if style == "unified":
    sys.stdout.writelines(difflib.unified_diff(old, new, **names, n=1))
elif style == "context":
    sys.stdout.writelines(difflib.context_diff(old, new, **names, fromfiledate="2026-01-01", tofiledate="2026-01-02"))
elif style == "words":
    print(*difflib.ndiff(old, new), sep="", end="")
else:
    matcher = difflib.SequenceMatcher(None, old, new)
    print(f"{matcher.ratio():.4f} similar")
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        print(f"{tag:<8} {a1}:{a2} -> {b1}:{b2}")
