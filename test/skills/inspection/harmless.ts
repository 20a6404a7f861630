import type { CorpusSkill } from './corpus-skill.ts';
import { bytecode } from './harmful.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const source = 'def add(a, b):\n    return a + b\n';

/** Honest skills that look like the harmful ones. */
export const harmlessSkills: Readonly<Record<string, CorpusSkill>> = {
  'flag-of-scotland':
    '# Flags\n\nShows 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F} and 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.\n',
  'joined-emoji': '# Team\n\nGreets with 👩‍💻, 👨‍👩‍👧‍👦, 🏳️‍🌈 and ❤️.\n',
  'french-with-accents':
    '# Résumé\n\nRésume un texte à l’oral, « très brièvement » : l’été, Noël, où, garçon, cœur.\n',
  'persian-with-joiners': '# فارسی\n\nمتن را می\u200cخواند و خلاصه می\u200cکند.\n',
  'hebrew-with-isolates': '# עברית\n\nמחזיר \u2068report.pdf\u2069 למשתמש.\n',
  'russian-with-latin-names': '# Отчёт\n\nСоздаёт PDF-отчёт из CSV через API, затем отправляет push в git.\n',
  'german-soft-hyphens': '# Brief\n\nDonau\u00addampf\u00adschiff mit Trenn\u00adstellen.\n',
  'byte-order-mark': { 'SKILL.md': '# Table\n', 'assets/template.csv': '\uFEFFname,price\nTea,3\n' },
  'explains-curl-pipe-shell':
    '# Shell review\n\nFlag installers that pipe the network into a shell, such as `curl https://a.example/x | sh`. Never run them.\n',
  'shows-the-danger-in-a-block':
    '# Secure setup\n\nDo not install like this:\n\n```sh\ncurl https://a.example/install.sh | bash\n```\n\nDownload the file and compare its hash instead.\n',
  'curl-into-jq': '# Releases\n\n`curl -s https://api.github.com/repos/a/b/releases | jq ".[0].tag_name"`\n',
  'downloads-data': '# Census\n\n`curl -O https://data.example.org/census.csv`, then open the file.\n',
  'pip-from-the-usual-index': '# Charts\n\nNeeds matplotlib: `pip install matplotlib==3.10.0`.\n',
  'pytorch-index': '# Train\n\n    pip install torch --index-url https://download.pytorch.org/whl/cpu\n',
  'npx-pinned': '# Format\n\nRun `npx -y prettier@3.6.2 --write .`.\n',
  'chmod-of-its-own-script': {
    'SKILL.md': '# Build\n\nMake it executable with `chmod +x scripts/build.sh`.\n',
    'scripts/build.sh': '#!/bin/sh\nset -e\necho done\n',
  },
  'unzips-a-docx': '# Word\n\nA .docx is a ZIP archive: `unzip report.docx -d report`.\n',
  'base64-image': {
    'SKILL.md': '# Logo\n',
    'scripts/logo.py': `import base64, pathlib\nLOGO = "${Buffer.alloc(300, 0x5a).toString('base64')}"\npathlib.Path("logo.png").write_bytes(base64.b64decode(LOGO))\n`,
  },
  'decodes-an-attachment': '# Mail\n\n`echo "$PART" | base64 -d > part.txt` and read part.txt.\n',
  'regular-expression-exec': {
    'SKILL.md': '# Dates\n',
    'index.js':
      'const date = /(\\d{4})-(\\d{2})/;\nexport default ({ text }) => date.exec(text)?.[1] ?? null;\n',
  },
  'literal-eval': {
    'SKILL.md': '# Literals\n',
    'scripts/run.py': 'import ast, sys\nprint(ast.literal_eval(sys.stdin.read()))\n',
  },
  'model-eval-mode': {
    'SKILL.md': '# Model\n',
    'scripts/run.py': 'import torch\nmodel = torch.nn.Linear(2, 1)\nmodel.eval()\nprint(model)\n',
  },
  'reads-claude-md': '# Review\n\nRead CLAUDE.md and AGENTS.md for the conventions of the project.\n',
  'warns-of-memory-writes':
    '# Skill audit\n\nReport skills that append text to CLAUDE.md or edit .claude/settings.json.\n',
  'explains-bashrc': '# Shells\n\nbash reads ~/.bashrc in interactive shells, and ~/.profile at login.\n',
  'explains-cron-syntax':
    '# Cron\n\nTranslates "every Monday" to `0 0 * * 1`. The fields follow crontab(5).\n',
  'injection-detector':
    '# Injection check\n\nDetects prompt injections such as "ignore all previous instructions" in documents, and reports them.\n',
  'ignore-whitespace': '# Diff\n\nIgnore all whitespace, and ignore previous versions of the file.\n',
  'system-in-prose': '# Design\n\nThe design system: colors, type and spacing. System: fonts first.\n',
  'user-friendly-errors':
    '# Support\n\nDo not show stack traces to the user; say what went wrong and what to do.\n',
  'quiet-flags':
    '# Quiet\n\nUse `git pull --quiet` and `npm ci --silent`: silent commands keep the log short.\n',
  'honest-comment': '# Table\n\n<!-- prettier-ignore -->\n| a | b |\n|---|---|\n\n<!-- Sorted by name. -->\n',
  'asks-for-confirmation': '# Delete\n\nAlways ask for confirmation before you delete. Never skip it.\n',
  'git-status-at-load': '# Commit\n\nStatus: !`git status --short`\n',
  'image-in-docs': '# Charts\n\n![A bar chart](https://docs.example.org/images/bar.png?width=400)\n',
  'declared-host': {
    'SKILL.md': '# Weather\n',
    'ambit.yaml':
      'run: { runtime: process, entry: scripts/run.py, capabilities: { exec: [python3], network: [api.weather.example] } }\n',
    'scripts/run.py':
      'import urllib.request\nprint(urllib.request.urlopen("https://api.weather.example/v1").read())\n',
  },
  'declared-program-and-variable': {
    'SKILL.md': '# Blame\n',
    'ambit.yaml':
      'run: { runtime: process, entry: scripts/run.py, capabilities: { exec: [python3, git], env: [BLAME_WIDTH], filesystem: { read: [granted] } } }\n',
    'scripts/run.py':
      'import os, subprocess\nsubprocess.run(["git", "blame", os.environ.get("BLAME_WIDTH", "80")], check=True)\n',
  },
  'secret-for-one-host': {
    'SKILL.md': '# Issues\n',
    'ambit.yaml':
      'run: { runtime: process, entry: scripts/run.py, capabilities: { exec: [python3], secrets: [{ name: TRACKER_TOKEN, hosts: [tracker.example] }], network: [tracker.example] } }\n',
    'scripts/run.py':
      'import os, urllib.request\nr = urllib.request.Request("https://tracker.example/issues", headers={"Authorization": "Bearer " + os.environ["TRACKER_TOKEN"]})\nprint(urllib.request.urlopen(r).read())\n',
  },
  'example-token-in-docs': `# S3\n\nThe key looks like AKIAIOSFODNN7EXAMPLE, for example.\n`,
  'environment-of-a-child': {
    'SKILL.md': '# Run\n',
    'scripts/run.py':
      'import os, subprocess\nenv = os.environ.copy()\nenv["LC_ALL"] = "C"\nsubprocess.run(["sort"], env=env, check=True)\n',
  },
  'names-ssh-in-prose': '# Remotes\n\nExplains the difference between SSH and HTTPS remotes of git.\n',
  'security-advice-on-keys':
    '# Hygiene\n\nNever commit .env, and never send API keys to a server in a URL such as https://a.example/?key=1.\n',
  'template-document': {
    'SKILL.md': '# Letter\n\nFill in assets/letter.docx.\n',
    'assets/letter.docx': Buffer.from('504b0304140006000800', 'hex'),
  },
  'real-image': { 'SKILL.md': '# Logo\n', 'assets/logo.png': png },
  'wasm-module': { 'SKILL.md': '# Fast\n', 'skill.wasm': Buffer.from('0061736d01000000', 'hex') },
  'link-within-the-folder': {
    files: { 'SKILL.md': '# A\n', 'references/a.md': 'A\n' },
    links: { 'references/b.md': '../references/a.md' },
  },
  'another-version': {
    files: { 'SKILL.md': '# Notes\n\nSecond edition.\n' },
    id: 'notes-v2',
    otherIds: ['notes-v1', 'pdf', 'csv-profile'],
  },
  'same-name-in-another-namespace': {
    files: { 'SKILL.md': '# Forms\n' },
    id: 'acme:pdf-forms',
    otherIds: ['other:pdf-forms'],
  },
  'hidden-editor-config': { files: { 'SKILL.md': '# A\n' }, hidden: ['.gitignore', '.editorconfig'] },
  'minified-library': {
    'SKILL.md': '# Chart\n',
    'index.js': `export default()=>0;${'var a=function(b){return b+1};'.repeat(2000)}\n`,
  },
  'dataset-of-words': {
    'SKILL.md': '# Words\n',
    'assets/words.csv': 'word,count\nignore,3\ncurl,4\nbash,5\nsystem,6\nsecret,7\nbase64,8\n',
  },
  'html-report': {
    'SKILL.md': '# Report\n',
    'assets/report.html':
      '<!doctype html><meta charset="utf-8"><title>R</title><svg xmlns="http://www.w3.org/2000/svg"></svg>\n',
  },
  // Honest text in the words of an attack; the first of these are known false alarms.
  'installs-rust-as-its-makers-say':
    '# Rust\n\nIf cargo is missing, run `curl --proto "=https" -sSf https://sh.rustup.rs | sh`.\n',
  'keeps-claude-md-current': '# Memory care\n\nWhen the user asks, update CLAUDE.md with what was decided.\n',
  'cyrillic-transliteration-table': '# Translit\n\nMaps лл to ll: writes cоmрuter as computer.\n',
  'compiled-beside-its-source': {
    'SKILL.md': '# Fast\n',
    'scripts/core.py': source,
    'scripts/__pycache__/core.cpython-311.pyc': bytecode(0, source.length),
  },
};
