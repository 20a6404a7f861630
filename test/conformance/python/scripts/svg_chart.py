"""Draw bars as SVG and as text from `name value` lines."""
import sys
from string import Template
from xml.sax.saxutils import escape, quoteattr

PAGE = Template('<svg xmlns="http://www.w3.org/2000/svg" width="$width" height="$height">\n$bars\n</svg>\n')
rows = []
for line in sys.stdin:
    name, _, value = line.strip().rpartition(" ")
    try:
        rows.append((name, float(value)))
    except ValueError:
        print(f"skipped {line!r}", file=sys.stderr)
if not rows:
    sys.exit("nothing to draw")
top = max(value for _, value in rows)
bars = []
for number, (name, value) in enumerate(rows):
    size = value / top * 200
    bars.append(f'  <g transform="translate(0 {number * 20})"><rect width="{size:.2f}" height="16" class={quoteattr(name)}/><text x="{size + 4:.1f}" y="12">{escape(name)} {value:g}</text></g>')
    print(f"{name:>10} {'█' * int(size / 10)}{'▏▎▍▌▋▊▉'[int(size % 10 / 10 * 7)]} {value:g}")
with open("chart.svg", "w", encoding="utf-8") as file:
    file.write(PAGE.substitute(width=300, height=len(rows) * 20, bars="\n".join(bars)))
