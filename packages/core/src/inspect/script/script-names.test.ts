import { describe, expect, test } from 'vitest';
import { scriptNames } from './script-facts.ts';

const programsIn = (path: string, text: string): readonly string[] => scriptNames({ path, text }).programs;

describe('the programs that a script may start', () => {
  test.each<[text: string, programs: string[]]>([
    ['git status\n', ['git']],
    ['command -v pdfinfo || skip\n', ['pdfinfo', 'skip']],
    ['if ! which soffice >/dev/null; then\n  exit\nfi\n', ['soffice']],
    ['cat x | jq . && tesseract y -\n', ['cat', 'jq', 'tesseract']],
    ['v=$(xmllint --version)\nw=`pandoc -v`\n', ['xmllint', 'pandoc']],
    ['time exec setsid ffmpeg\n', ['setsid']],
    ['VALUE=1\nname() {\n  return\n}\n', []],
    ['for f in *; do convert "$f"; done\n', ['convert']],
    ["python3 -c '\nimport json, sys\n'\n", ['python3']],
    ['import -window root screen.png\n', ['import']],
  ])('shell: %j', (text, programs) => {
    expect(programsIn('run.sh', text)).toEqual(programs);
  });

  test.each<[text: string, programs: string[]]>([
    ['subprocess.run(["soffice", "--headless"])\n', ['soffice']],
    ['cmd = [\n    "pdftoppm",\n    "-png",\n]\nsubprocess.run(cmd)\n', ['pdftoppm']],
    ['command: list[str] = ["/usr/bin/git", "log"]\n', ['git']],
    ['if shutil.which("pandoc"): pass\n', ['pandoc']],
    ['_run_tool(["qpdf", path])\n', ['qpdf']],
    ['columns = ["file", "name"]\n', []],
    ['os.system("qpdf a")\nexec("git")\n', ['qpdf', 'sh']],
    ['subprocess.run("git log", shell=True)\n', ['git', 'sh']],
  ])('Python: %j', (text, programs) => {
    expect(programsIn('run.py', text)).toEqual(programs);
  });

  test.each<[text: string, programs: string[]]>([
    ["execFileSync('git', ['log']);\n", ['git']],
    ['await execAsync(`soffice --headless`);\n', ['soffice']],
    ["execSync('dot -Tsvg');\npattern.exec(text);\n", ['dot', 'sh']],
    ["spawn('ls', { shell: true });\n", ['ls', 'sh']],
    ['const run = promisify(exec);\n', ['sh']],
    ["child_process.spawn('ffmpeg');\n", ['ffmpeg']],
  ])('JavaScript: %j', (text, programs) => {
    expect(programsIn('run.mjs', text)).toEqual(programs);
  });
});

test('modules that do not come with Python are imports', () => {
  const text = 'import os, numpy as np, pandas\nfrom matplotlib.pyplot import plot\nfrom json import loads\n';
  expect(scriptNames({ path: 'run.py', text }).imports).toEqual(['numpy', 'pandas', 'matplotlib']);
});

test('packages of JavaScript are imports', () => {
  const text = "import { x } from '@acme/one/file.js';\nconst two = require('two/lib');\n";
  expect(scriptNames({ path: 'run.mjs', text }).imports).toEqual(['@acme/one', 'two']);
});

test('a file that is no script names nothing', () => {
  expect(scriptNames({ path: 'notes.md', text: 'git status\n' })).toEqual({ imports: [], programs: [] });
});
