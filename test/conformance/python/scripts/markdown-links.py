"""Find broken relative links and missing anchors in Markdown."""
import os
import re
import sys
from urllib.parse import unquote, urlsplit

LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")


def anchors(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#"):
                yield re.sub(r"[^\w -]", "", line.lstrip("#").strip().lower()).replace(" ", "-")


def check(root):
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.endswith(".md"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            for match in LINK.finditer(text):
                link = urlsplit(match["target"])
                if link.scheme or link.netloc:
                    continue
                target = os.path.normpath(os.path.join(folder, unquote(link.path))) if link.path else path
                line = text.count("\n", 0, match.start()) + 1
                if not os.path.exists(target):
                    yield path, line, f"{match['target']} does not exist"
                elif link.fragment and link.fragment not in set(anchors(target)):
                    yield path, line, f"{os.path.relpath(target, root)} has no #{link.fragment}"


broken = list(check(sys.argv[1] if len(sys.argv) > 1 else os.curdir))
for path, line, problem in broken:
    print(f"{path}:{line}: {problem}")
sys.exit(f"{len(broken)} broken links" if broken else None)
