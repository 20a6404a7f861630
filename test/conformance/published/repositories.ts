/** Files of a repository, by path. */
export type Files = Readonly<Record<string, string>>;

function lines(...text: readonly string[]): string {
  return `${text.join('\n')}\n`;
}

function skillMd(name: string, ...more: readonly string[]): string {
  return lines('---', `name: ${name}`, 'description: Use when asked to.', ...more, '---', '', '# How');
}

function below(folder: string, files: Files): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

/** A document skill: scripts in folders, with modules of their own beside them. */
const office: Files = {
  'SKILL.md': skillMd('office', 'license: Proprietary. LICENSE.txt has the terms'),
  'LICENSE.txt': 'All rights reserved.\n',
  'reference.md': '# Formats\n',
  'scripts/__init__.py': '',
  'scripts/office/pack.py': lines(
    '"""Pack a folder into a document."""',
    'import argparse, zipfile',
    'from pathlib import Path',
    'from helpers.parts import parts_of',
    'def main():',
    '    parser = argparse.ArgumentParser()',
    '    parser.add_argument("folder", type=Path)',
    '    parser.add_argument("document", type=Path)',
    '    given = parser.parse_args()',
    '    parts = parts_of(given.folder)',
    '    with zipfile.ZipFile(given.document, "w") as archive:',
    '        for part in parts: archive.write(part, part.relative_to(given.folder))',
    '    print(f"{len(parts)} parts")',
    'if __name__ == "__main__":',
    '    main()',
  ),
  'scripts/office/helpers/__init__.py': '',
  'scripts/office/helpers/parts.py': lines(
    'from pathlib import Path',
    'def parts_of(folder: Path):',
    '    return sorted(path for path in folder.rglob("*") if path.is_file())',
  ),
  'scripts/office/schemas/part.xsd': '<xs:schema/>\n',
};

/** A repository with several skills, beside a template and a specification. */
export const skills: Files = {
  'README.md': '# Skills\n',
  '.gitignore': '__pycache__/\n',
  'spec/agent-skills-spec.md': '# Specification\n',
  'template/SKILL.md': skillMd('template-skill'),
  ...below('skills/office', office),
  ...below('skills/page-builder', {
    'SKILL.md': skillMd('page-builder', 'allowed-tools: Read, Bash(bash:*)'),
    'assets/page.html': '<h1>TITLE</h1>\n',
    'assets/example/SKILL.md': skillMd('example'),
    'scripts/build.sh': lines(
      '#!/bin/bash',
      'set -euo pipefail',
      'here="$(cd "$(dirname "$0")" && pwd)"',
      'sed "s/TITLE/$1/" "$here/../assets/page.html" > page.html',
      'echo "built page.html"',
    ),
  }),
  ...below('skills/charts', {
    'SKILL.md': skillMd('charts'),
    'package.json': JSON.stringify({ type: 'module', dependencies: { 'absent-charts': '^1.2.0' } }),
    'scripts/lib/escape.js': 'export const escape = (text) => text.replaceAll("<", "&lt;");\n',
    'scripts/render.js': lines(
      '#!/usr/bin/env node',
      "import { escape } from './lib/escape.js';",
      "if (process.argv[2] === '--png') await import('absent-charts');",
      'console.log("<svg>" + escape(process.argv[2]) + "</svg>");',
    ),
  }),
  ...below('skills/tables', {
    'SKILL.md': skillMd('tables'),
    'references/formats.md': '# Formats\n',
    'scripts/convert.py': lines(
      '#!/usr/bin/env -S uv run --script',
      '# /// script',
      '# requires-python = ">=3.9"',
      '# dependencies = ["absent-tables>=2"]',
      '# ///',
      'import csv, json, sys',
      'rows = list(csv.DictReader(open(sys.argv[1], newline="")))',
      'if "--parquet" in sys.argv:',
      '    import absent_tables',
      'print(json.dumps(rows))',
    ),
  }),
  ...below('skills/legacy', {
    'SKILL.md': skillMd('legacy', 'metadata:', '  tags: [a, b]', '  version: 1.5', '  rating: 5'),
    'requirements.txt': '# Python packages\nabsent-legacy==1.0.2\n',
    'scripts/hello.py': '#!/usr/bin/python\nprint("hello from", __file__.rsplit("/", 1)[-1])\n',
    'scripts/report.py': '#!/usr/bin/env python\nimport absent_legacy\n',
  }),
  ...below('skills/windows', {
    'SKILL.md': `\uFEFF${skillMd('windows').replaceAll('\n', '\r\n')}`,
    'scripts/hello.py': '#!/usr/bin/env python3\r\nimport sys\r\nprint("hello", *sys.argv[1:])\r\n',
  }),
  ...below('skills/pdf_tools', {
    'SKILL.md': skillMd('pdf-tools'),
    'scripts/count.py': 'import sys\nprint(len(sys.argv) - 1)\n',
  }),
  ...below('skills/Summaries', { 'SKILL.md': skillMd('Meeting Summaries') }),
  ...below('skills/unquoted', {
    'SKILL.md': '---\nname: unquoted\ndescription: @Observable: use when asked\n---\n',
  }),
  ...below('skills/lower-case', { 'skill.md': skillMd('lower-case') }),
  ...below('skills/undescribed', { 'SKILL.md': '---\nname: undescribed\n---\n# Title\n' }),
  // Copies for other agents.
  ...below('.cursor/skills/office', office),
};

/** A marketplace: plugins with skills, two of which have one name. */
export const plugins: Files = {
  '.claude-plugin/marketplace.json': JSON.stringify({
    name: 'acme-plugins',
    owner: { name: 'Acme' },
    plugins: ['metrics', 'reports'].map((name) => ({ name, source: `./plugins/${name}` })),
  }),
  ...below('plugins/metrics', {
    '.claude-plugin/plugin.json': '{"name":"metrics"}',
    'commands/measure.md': 'Measure it.\n',
    'hooks/hooks.json': '{}',
    'skills/summary/SKILL.md': skillMd('summary'),
    'skills/summary/scripts/run.py': 'print("metrics")\n',
    'skills/trend/SKILL.md': skillMd('trend'),
  }),
  ...below('plugins/reports', {
    '.claude-plugin/plugin.json': '{"name":"reports"}',
    'skills/summary/SKILL.md': skillMd('summary'),
    'skills/summary/scripts/run.py': 'print("reports")\n',
  }),
};

/** Another repository with a skill of the same name. */
export const other: Files = below('office', {
  'SKILL.md': skillMd('office'),
  'scripts/office.py': 'print("the other office")\n',
});

/** A repository of skills that is a skill itself. */
export const collection: Files = {
  'SKILL.md': skillMd('guide'),
  'skills/README.md': '# Skills\n',
  'examples/demo/SKILL.md': skillMd('demo'),
  ...below('skills/alpha', { 'SKILL.md': skillMd('alpha'), 'scripts/a.py': 'print("a")\n' }),
  ...below('skills/beta', { 'SKILL.md': skillMd('beta'), 'assets/x/SKILL.md': skillMd('x') }),
};

/** A repository that is one skill. */
export const single: Files = {
  'SKILL.md': skillMd('dates'),
  'README.md': '# claude-skill-dates\n',
  'pyproject.toml': '[project]\nname = "dates"\nversion = "1.0.0"\ndependencies = ["absent-dates"]\n',
  'tests/test_dates.py': 'import scripts.dates\n',
  'scripts/__init__.py': '',
  'scripts/leap.py':
    'def is_leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n',
  'scripts/dates.py': lines(
    'import sys',
    'from scripts.leap import is_leap',
    'print("leap year" if is_leap(int(sys.argv[1])) else "common year")',
  ),
};
