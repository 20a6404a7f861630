/** A skill in the shape of published ones, and the work that its documentation promises. */
export interface RealSkill {
  name: string;
  /** Programs of the machine that its scripts start, which the review lists. */
  programs?: readonly string[];
  /** Packages that it declares, from the test's own index or registry. */
  packages?: readonly string[];
  files: Readonly<Record<string, string>>;
  /** Its commands, as its `SKILL.md` has them. */
  work: readonly Work[];
}

export interface Work {
  /** Words separated by blanks: an interpreter, a script or `-m` with a module, and its arguments. */
  command: string;
  /** Files and folders of `inputs.py`; `repo/.` copies the contents of a folder. */
  inputs?: readonly string[];
}

export const skills: readonly RealSkill[] = [
  {
    name: 'table-report',
    files: {
      'scripts/summarize.py': `import sys
import pandas as pd

table = pd.read_csv(sys.argv[1])
grouped = table.groupby("region").agg({"amount": ["sum", "mean"], "returns": "max"})
grouped.to_csv(sys.argv[2])
print(grouped.to_string())
`,
    },
    work: [{ command: 'python scripts/summarize.py sales.csv summary.csv', inputs: ['sales.csv'] }],
  },
  {
    name: 'charts',
    files: {
      'scripts/plot.py': `import argparse
import matplotlib.pyplot as plt
import pandas as pd

parser = argparse.ArgumentParser()
parser.add_argument("table")
parser.add_argument("--output", default="chart.png")
options = parser.parse_args()
table = pd.read_csv(options.table)
figure, axes = plt.subplots(2, 1, figsize=(6, 6))
axes[0].plot(table["amount"], label="amount")
axes[0].set_title("Amounts, $\\\\sum_i x_i$")
axes[0].legend()
axes[1].hist(table["returns"])
plt.tight_layout()
plt.savefig(options.output, dpi=80, metadata={"CreationDate": None} if options.output.endswith("pdf") else None)
plt.show()
print("saved", options.output)
`,
    },
    work: [
      { command: 'python3 scripts/plot.py sales.csv', inputs: ['sales.csv'] },
      { command: 'python3 scripts/plot.py sales.csv --output chart.pdf', inputs: ['sales.csv'] },
    ],
  },
  {
    name: 'statistics',
    files: {
      'scripts/compare.py': `import csv
import sys
from scipy import stats

groups = {}
for row in csv.DictReader(open(sys.argv[1])):
    groups.setdefault(row["region"], []).append(float(row["amount"]))
test = stats.ttest_ind(*groups.values())
print(f"t={test.statistic:.6f} p={test.pvalue:.6f} normal={stats.shapiro(groups['north'])[1]:.6f}")
`,
    },
    work: [{ command: 'python3 scripts/compare.py sales.csv', inputs: ['sales.csv'] }],
  },
  {
    name: 'clusters',
    files: {
      'scripts/cluster.py': `import sys
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

table = pd.read_csv(sys.argv[1])[["amount", "returns"]]
labels = KMeans(n_clusters=3, n_init=2, random_state=1).fit_predict(table)
print(sorted(labels.tolist()).count(0) > 0, len(set(labels)))
iris = load_iris()
forest = RandomForestClassifier(n_estimators=20, n_jobs=-1, random_state=1).fit(iris.data, iris.target)
print(f"{forest.score(iris.data, iris.target):.3f}")
`,
    },
    work: [{ command: 'python3 scripts/cluster.py sales.csv', inputs: ['sales.csv'] }],
  },
  {
    name: 'image-labels',
    files: {
      'scripts/label.py': `import sys
from PIL import Image, ImageDraw, ImageFont

image = Image.open(sys.argv[1])
font = ImageFont.truetype("DejaVuSans.ttf", 18)
ImageDraw.Draw(image).text((10, 10), "Label", fill="blue", font=font)
image.resize((160, 100)).save(sys.argv[2])
image.save(sys.argv[3], quality=90)
print(image.size, image.mode)
`,
    },
    work: [{ command: 'python3 scripts/label.py photo.png small.png photo.jpg', inputs: ['photo.png'] }],
  },
  {
    name: 'workbooks',
    files: {
      // In the skill's own folder, as in one of the most copied collections.
      'totals.py': `import sys
import openpyxl
from openpyxl.styles import Font

book = openpyxl.load_workbook(sys.argv[1])
sheet = book.active
sheet["C1"] = f"=SUM(B1:B{sheet.max_row})"
sheet["C1"].font = Font(bold=True)
book.save(sys.argv[2])
again = openpyxl.load_workbook(sys.argv[2]).active
print(again.dimensions, again["C1"].value, again["C1"].font.bold)
`,
    },
    work: [{ command: 'python totals.py book.xlsx totals.xlsx', inputs: ['book.xlsx'] }],
  },
  {
    name: 'recalculation',
    // A tool that shell scripts have, and Python scripts only by a grant.
    programs: ['soffice', 'timeout'],
    files: {
      'recalc.py': `import platform
import subprocess
import sys
from pathlib import Path

cmd = ["soffice", "--headless", "--convert-to", "csv", sys.argv[1]]
if platform.system() == "Linux":
    cmd = ["timeout", "60"] + cmd
subprocess.run(cmd, check=True, capture_output=True)
print(Path(sys.argv[1]).with_suffix(".csv").read_text().split())
`,
    },
    work: [{ command: 'python recalc.py book.xlsx', inputs: ['book.xlsx'] }],
  },
  {
    name: 'word-files',
    files: {
      'scripts/office/__init__.py': '',
      'scripts/office/unpack.py': `import sys
import zipfile
from pathlib import Path
import defusedxml.minidom

target = Path(sys.argv[2])
with zipfile.ZipFile(sys.argv[1]) as archive:
    archive.extractall(target)
for file in sorted([*target.rglob("*.xml"), *target.rglob("*.rels")]):
    file.write_bytes(defusedxml.minidom.parse(str(file)).toprettyxml(indent="  ", encoding="utf-8"))
print("unpacked", len(list(target.rglob("*.*"))), "files")
`,
      'scripts/office/rules/__init__.py': '',
      'scripts/office/rules/structure.py': `from lxml import etree


def paragraphs(path):
    return len(etree.parse(path).findall(".//{*}p"))
`,
      'scripts/office/check.py': `import sys
import tempfile
import zipfile
import docx
from rules.structure import paragraphs

with tempfile.TemporaryDirectory() as folder:
    zipfile.ZipFile(sys.argv[1]).extractall(folder)
    print(paragraphs(f"{folder}/word/document.xml"), [each.style.name for each in docx.Document(sys.argv[1]).paragraphs])
`,
    },
    work: [
      { command: 'python scripts/office/unpack.py letter.docx unpacked/', inputs: ['letter.docx'] },
      { command: 'python scripts/office/check.py letter.docx', inputs: ['letter.docx'] },
    ],
  },
  {
    name: 'slide-thumbnails',
    programs: ['soffice', 'pdftoppm'],
    files: {
      'scripts/thumbnail.py': `import subprocess
import sys
import tempfile
from pathlib import Path
from PIL import Image
from office.soffice import convert

with tempfile.TemporaryDirectory() as folder:
    pdf = convert(Path(sys.argv[1]), Path(folder))
    subprocess.run(["pdftoppm", "-jpeg", "-r", "40", str(pdf), f"{folder}/slide"], check=True)
    slides = [Image.open(file) for file in sorted(Path(folder).glob("slide*.jpg"))]
    grid = Image.new("RGB", (sum(each.width for each in slides), slides[0].height))
    for at, each in enumerate(slides):
        grid.paste(each, (at * each.width, 0))
    grid.save("thumbnails.png")
    print(len(slides), "slides", grid.size)
`,
      'scripts/office/__init__.py': '',
      'scripts/office/soffice.py': `import subprocess
import sys
from pathlib import Path


def convert(source, target, form="pdf"):
    subprocess.run(["soffice", "--headless", "--convert-to", form, "--outdir", str(target), str(source)], check=True, capture_output=True)
    return target / f"{source.stem}.{form}"


if __name__ == "__main__":
    print(convert(Path(sys.argv[1]), Path("."), sys.argv[2]).name)
`,
    },
    work: [
      { command: 'python scripts/thumbnail.py deck.pptx', inputs: ['deck.pptx'] },
      { command: 'python scripts/office/soffice.py letter.docx pdf', inputs: ['letter.docx'] },
      { command: 'python scripts/office/soffice.py book.xlsx csv', inputs: ['book.xlsx'] },
    ],
  },
  {
    name: 'pdf-pages',
    programs: ['pdftotext'],
    files: {
      'scripts/merge.py': `import sys
from pypdf import PdfReader, PdfWriter

writer = PdfWriter()
for file in sys.argv[2:]:
    for page in PdfReader(file).pages:
        writer.add_page(page)
with open(sys.argv[1], "wb") as target:
    writer.write(target)
print(len(writer.pages), "pages")
`,
      'scripts/text.sh': `#!/usr/bin/env bash
set -euo pipefail
for file in "$@"; do echo "$file: $(pdftotext "$file" - | wc -w) words"; done
`,
    },
    work: [
      { command: 'python3 scripts/merge.py all.pdf photo.pdf blank.pdf', inputs: ['photo.pdf', 'blank.pdf'] },
      { command: 'bash scripts/text.sh photo.pdf', inputs: ['photo.pdf'] },
    ],
  },
  {
    name: 'manuscript',
    programs: ['pandoc'],
    files: {
      'scripts/render.sh': `#!/bin/bash
set -e
pandoc --standalone "$1" --output "\${1%.md}.html"
pandoc "$1" --output "\${1%.md}.docx"
pandoc "\${1%.md}.docx" --to markdown
`,
    },
    work: [{ command: 'bash scripts/render.sh paper.md', inputs: ['paper.md'] }],
  },
  {
    name: 'shrink-images',
    programs: ['mogrify', 'identify'],
    files: {
      'scripts/shrink.sh': `#!/usr/bin/env bash
# Without ImageMagick the image is left alone, and the script succeeds.
command -v mogrify > /dev/null || { echo "mogrify is missing"; exit 0; }
cp "$1" "$3"
mogrify -strip -resize "$2" -define png:exclude-chunks=date,time "$3"
identify -format '%m %wx%h\\n' "$3"
`,
    },
    work: [{ command: 'bash scripts/shrink.sh photo.png 50% small.png', inputs: ['photo.png'] }],
  },
  {
    name: 'json-queries',
    programs: ['jq'],
    files: {
      // Bash, without saying so.
      'scripts/adults.sh': `names=()
while read -r name; do names+=("$name"); done < <(jq -r '.people[] | select(.age >= 18) | .name' "$1")
[[ \${#names[@]} -gt 0 ]] && printf '%s\\n' "\${names[@]}"
`,
    },
    work: [{ command: 'bash scripts/adults.sh people.json', inputs: ['people.json'] }],
  },
  {
    name: 'release-notes',
    programs: ['git'],
    files: {
      'scripts/changes.py': `import subprocess

log = subprocess.run(["git", "log", "--format=%s", "--date=iso"], capture_output=True, text=True, check=True).stdout
for kind in ("feat", "fix"):
    print(kind, [line.split(": ", 1)[1] for line in log.splitlines() if line.startswith(kind)])
`,
    },
    work: [{ command: 'python3 scripts/changes.py', inputs: ['repo/.'] }],
  },
  {
    name: 'diagrams',
    // Node gives the command to a shell.
    programs: ['dot', 'sh'],
    files: {
      'render-graphs.js': `#!/usr/bin/env node
const { execSync } = require('child_process');
const fs = require('fs');

const text = fs.readFileSync(process.argv[2], 'utf8');
for (const [, graph] of text.matchAll(/\`\`\`dot\\n([^\`]*)\`\`\`/g)) {
  fs.writeFileSync('flow.svg', execSync('dot -Tsvg', { input: graph }));
  console.log('rendered', graph.match(/digraph (\\w+)/)[1]);
}
`,
    },
    work: [{ command: 'node render-graphs.js notes.md', inputs: ['notes.md'] }],
  },
  {
    name: 'typed-scan',
    files: {
      'tools/scan.ts': `import { readdirSync, readFileSync } from 'node:fs';

interface Found { file: string; todos: number }

const folder: string = process.argv[2] ?? '.';
const found: Found[] = readdirSync(folder).sort().map((file) => ({
  file,
  todos: readFileSync(\`\${folder}/\${file}\`, 'utf8').split('TODO').length - 1,
}));
console.log(JSON.stringify(found));
`,
      'tools/legacy.cjs': `const { readFileSync } = require('node:fs');
console.log(readFileSync(process.argv[2], 'utf8').length, typeof require);
`,
    },
    work: [
      { command: 'node tools/scan.ts project', inputs: ['project'] },
      { command: 'node tools/legacy.cjs notes.md', inputs: ['notes.md'] },
    ],
  },
  {
    name: 'locked-npm',
    packages: ['npm:marker 1.0.0'],
    files: {
      'package.json': '{ "name": "locked-npm", "dependencies": { "marker": "^1.0.0" } }\n',
      'scripts/strip.mjs': `import { readFileSync } from 'node:fs';
import { strip } from 'marker';

console.log(strip(readFileSync(process.argv[2], 'utf8')));
`,
    },
    work: [{ command: 'node scripts/strip.mjs notes.md', inputs: ['notes.md'] }],
  },
  {
    name: 'locked-python',
    packages: ['rounding 1.0'],
    files: {
      'scripts/round.py': `# /// script
# requires-python = ">=3.9"
# dependencies = ["rounding"]
# ///
import csv
import sys
from rounding import tens

print([tens(int(row["amount"])) for row in csv.DictReader(open(sys.argv[1]))][:5])
`,
    },
    work: [
      { command: 'python3 scripts/round.py sales.csv', inputs: ['sales.csv'] },
      { command: 'uv run --no-project scripts/round.py sales.csv', inputs: ['sales.csv'] },
    ],
  },
  {
    name: 'packer',
    files: {
      'scripts/__init__.py': '',
      'scripts/names.py': 'SUFFIX = ".skill"\n',
      'scripts/pack.py': `import sys
import zipfile
from pathlib import Path
from scripts.names import SUFFIX

source = Path(sys.argv[1])
with zipfile.ZipFile(source.name + SUFFIX, "w") as archive:
    for file in sorted(source.rglob("*")):
        archive.write(file, file.relative_to(source))
    print(archive.namelist())
`,
    },
    work: [{ command: 'python -m scripts.pack project', inputs: ['project'] }],
  },
  {
    name: 'meeting-times',
    files: {
      'scripts/when.py': `import locale
import mimetypes
from datetime import datetime
from zoneinfo import ZoneInfo

start = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo("Europe/Berlin"))
print(start.isoformat(), start.astimezone(ZoneInfo("Asia/Tokyo")).strftime("%H:%M %Z"))
print(mimetypes.guess_type("deck.pptx")[0], locale.getpreferredencoding())
`,
    },
    work: [{ command: 'python3 scripts/when.py' }],
  },
  {
    name: 'archives',
    files: {
      'bin/bundle': `#!/bin/sh
set -e
tar --sort=name --mode=a=rX --mtime=@0 --owner=0 --group=0 --numeric-owner -cf bundle.tar "$1"
gzip -n bundle.tar
tar -tzf bundle.tar.gz | sort | xargs -n 1 basename
`,
    },
    work: [{ command: 'bin/bundle project', inputs: ['project'] }],
  },
];
