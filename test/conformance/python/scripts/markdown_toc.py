"""Insert a table of contents between markers in a Markdown file."""
import argparse
import re
import unicodedata
from pathlib import Path

HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
START, END = "<!-- toc -->", "<!-- /toc -->"


def slug(title, used):
    text = unicodedata.normalize("NFKD", re.sub(r"[`*_~]|\[([^\]]*)\]\([^)]*\)", r"\1", title))
    text = "".join(c for c in text.lower() if c.isalnum() or c in " -")
    base = re.sub(r"\s+", "-", text.strip())
    used[base] = used.get(base, -1) + 1
    return base if used[base] == 0 else f"{base}-{used[base]}"


def headings(lines):
    fenced, used = False, {}
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
        match = None if fenced else HEADING.match(line)
        if match:
            yield len(match[1]), match[2], slug(match[2], used)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="only report whether it is up to date")
    args = parser.parse_args()
    text = args.file.read_text(encoding="utf-8")
    entries = [f"{'  ' * (level - 2)}- [{title}](#{anchor})" for level, title, anchor in headings(text.splitlines()) if 2 <= level <= args.depth]
    toc = "\n".join([START, *entries, END])
    new, count = re.subn(re.escape(START) + r".*?" + re.escape(END), lambda _: toc, text, flags=re.DOTALL)
    if not count:
        parser.exit(2, f"{args.file} has no {START} and {END}\n")
    if args.check:
        print("up to date" if new == text else "out of date")
        parser.exit(new != text)
    args.file.write_text(new, encoding="utf-8")
    print(f"{len(entries)} entries")


if __name__ == "__main__":
    main()
