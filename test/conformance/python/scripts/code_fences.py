"""Extract code blocks from Markdown into files."""
import argparse
import re
import sys
from pathlib import Path

SUFFIXES = {"python": "py", "bash": "sh", "json": "json", "": "txt"}
FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<info>[^\n`]*)\n(?P<body>.*?)^(?P=indent)(?P=fence)[ \t]*$", re.M | re.S)

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("source", type=Path)
parser.add_argument("-o", "--out", type=Path, default=Path("blocks"))
parser.add_argument("--language", action="append", help="only this language")
args = parser.parse_args()
text = args.source.read_text(encoding="utf-8")
written = 0
for number, match in enumerate(FENCE.finditer(text), 1):
    language, *options = match["info"].split() or [""]
    if args.language and language not in args.language:
        continue
    name = next((option.split("=", 1)[1].strip("\"'") for option in options if option.startswith("title=")), f"block-{number}.{SUFFIXES.get(language, language)}")
    target = (args.out / name).resolve()
    if not target.is_relative_to(args.out.resolve()):
        print(f"block {number}: {name} leaves {args.out}", file=sys.stderr)
        continue
    target.parent.mkdir(parents=True, exist_ok=True)
    body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
    target.write_text(body, encoding="utf-8")
    written += 1
    print(f"{args.out / name}: {body.count(chr(10))} lines from line {text.count(chr(10), 0, match.start()) + 1}")
sys.exit(0 if written else 1)
