"""Check translations in a PO file: placeholders, empty entries, duplicates."""
import gettext
import re
import sys
from collections import Counter

ENTRY = re.compile(r'msgid ((?:"(?:[^"\\]|\\.)*"\s*)+)msgstr ((?:"(?:[^"\\]|\\.)*"\s*)+)')
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]|\{\w*\}")


def joined(text):
    return "".join(part.encode().decode("unicode_escape").encode("latin-1").decode() for part in re.findall(r'"((?:[^"\\]|\\.)*)"', text))


seen, problems, translated = Counter(), [], 0
for match in ENTRY.finditer(sys.stdin.read()):
    source, target = map(joined, match.groups())
    if not source:
        continue
    seen[source] += 1
    if not target:
        problems.append(f"{source!r} is not translated")
    elif sorted(PLACEHOLDER.findall(source)) != sorted(PLACEHOLDER.findall(target)):
        problems.append(f"{source!r}: placeholders {PLACEHOLDER.findall(source)} became {PLACEHOLDER.findall(target)}")
    else:
        translated += 1
problems += [f"{source!r} is there {count} times" for source, count in seen.items() if count > 1]
print(*problems, sep="\n")
print(f"{translated} of {len(seen)} translated", gettext.ngettext("%d problem", "%d problems", len(problems)) % len(problems))
_ = gettext.translation("none", fallback=True).gettext
print(_("unchanged"))
sys.exit(bool(problems))
