"""Render test results as a static HTML page with a summary."""
import argparse
import html
import json
import sys
from datetime import datetime, timezone
from pathlib import Path
from textwrap import dedent

PAGE = dedent("""\
    <!doctype html>
    <html lang="en">
    <head><meta charset="utf-8"><title>{title}</title></head>
    <body>
    <h1>{title}</h1>
    <p>{passed} of {total} passed ({share:.1%}), {seconds:.3f} s, made {made:%d %B %Y %H:%M} UTC</p>
    <table>
    {rows}
    </table>
    </body>
    </html>
    """)


def row(test):
    state = test.get("state", "unknown")
    detail = f"<pre>{html.escape(test['message'])}</pre>" if test.get("message") else ""
    return f'<tr class="{html.escape(state, quote=True)}"><td>{html.escape(test["name"])}</td><td>{test.get("seconds", 0):.3f}</td><td>{detail}</td></tr>'


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("results", type=argparse.FileType("r", encoding="utf-8"))
parser.add_argument("--title", default="Results")
parser.add_argument("--output", type=Path, default=Path("report.html"))
args = parser.parse_args()
tests = json.load(args.results)["tests"]
passed = sum(test.get("state") == "passed" for test in tests)
args.output.parent.mkdir(parents=True, exist_ok=True)
args.output.write_text(PAGE.format(
    title=html.escape(args.title), passed=passed, total=len(tests), share=passed / len(tests) if tests else 1,
    seconds=sum(test.get("seconds", 0) for test in tests), made=datetime(2026, 3, 4, 5, 6, tzinfo=timezone.utc),
    rows="\n".join(map(row, sorted(tests, key=lambda test: (test.get("state") == "passed", test["name"])))),
))
print(args.output, args.output.stat().st_size)
sys.exit(passed != len(tests))
