import { expect } from 'vitest';
import { command } from '../../support/wasm/command.ts';

/** A typical published skill, a call of it, and the result. */
interface SmallSkill {
  id: string;
  /** Required host programs. */
  needs: readonly string[];
  files: Readonly<Record<string, string | Uint8Array>>;
  call: object;
  output: unknown;
  /** The changed files, as listed in the answer. */
  leaves?: readonly object[];
}

const text = (path: string, content: string) => ({ path, text: content });

/** The output of a script with protocol `command`. */
const prints = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });

const words = 'the cat\nthe dog\n';

export const smallSkills: readonly SmallSkill[] = [
  {
    id: 'csv-column',
    needs: ['bash'],
    files: {
      'scripts/column.sh': '#!/bin/bash\nset -euo pipefail\ncut -d, -f"$2" "$1" | tail -n +2 | sort -u\n',
    },
    call: { args: ['data.csv', '2'], files: [text('data.csv', 'id,town\n1,Oslo\n2,Bern\n3,Oslo\n')] },
    output: prints('Bern\nOslo\n'),
  },
  {
    id: 'todo-list',
    needs: ['bash'],
    files: {
      'scripts/todos.sh': `#!/usr/bin/env bash
find "\${1:-.}" -name '*.js' -print0 | sort -z | xargs -0 grep -n 'TODO' > todos.txt
wc -l < todos.txt
`,
    },
    call: {
      args: ['src'],
      files: [
        text('src/a.js', '// TODO one\n'),
        text('src/b/c.js', 'x\n// TODO two\n'),
        text('src/d.md', 'TODO\n'),
      ],
    },
    output: prints('2\n'),
    leaves: [{ path: 'todos.txt', text: 'src/a.js:1:// TODO one\nsrc/b/c.js:2:// TODO two\n' }],
  },
  {
    id: 'release-notes',
    needs: ['bash'],
    files: {
      'assets/template.md': '# Release VERSION\n\nCHANGES\n',
      'scripts/notes.sh': `#!/bin/bash
here="$(cd "$(dirname "\${BASH_SOURCE[0]}")/.." && pwd)"
changes="$(cat)"
while IFS= read -r line; do
  line="\${line//VERSION/$1}"
  echo "\${line//CHANGES/$changes}"
done < "$here/assets/template.md"
`,
    },
    call: { args: ['1.2.0'], stdin: '- faster' },
    output: prints('# Release 1.2.0\n\n- faster\n'),
  },
  {
    id: 'checksums',
    needs: ['sh'],
    files: { 'scripts/run.sh': '#!/bin/sh\nfor file in "$@"; do sha256sum "$file"; done | cut -c1-8\n' },
    call: { args: ['a', 'b'], files: [text('a', 'one'), text('b', 'two')] },
    output: prints('7692c3ad\n3fc4ccfe\n'),
  },
  {
    id: 'slugify',
    needs: ['node'],
    files: {
      'scripts/lib/slug.mjs':
        "export const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');\n",
      'scripts/slugify.mjs':
        "#!/usr/bin/env node\nimport { slug } from './lib/slug.mjs';\nconsole.log(slug(process.argv.slice(2).join(' ')));\n",
    },
    call: { args: ['Hello,', 'World!'] },
    output: prints('hello-world\n'),
  },
  {
    id: 'sort-keys',
    needs: ['node'],
    files: {
      'scripts/sort.js': `#!/usr/bin/env node
const fs = require('fs');
const value = JSON.parse(fs.readFileSync(0, 'utf8'));
console.log(JSON.stringify(value, Object.keys(value).sort()));
`,
    },
    call: { stdin: '{"b":1,"a":2}' },
    output: prints('{"a":2,"b":1}\n'),
  },
  {
    id: 'who-am-i',
    needs: ['node'],
    files: {
      'scripts/who.js':
        "const os = require('os');\nconsole.log(os.userInfo().username, os.hostname(), os.homedir());\n",
    },
    call: {},
    output: prints('skill ambit /tmp\n'),
  },
  {
    id: 'preview-server',
    needs: ['node'],
    files: {
      'scripts/preview.mjs': `import { createServer } from 'node:http';
const server = createServer((_, response) => response.end('<h1>Preview</h1>')).listen(0, 'localhost', async () => {
  const answer = await fetch(\`http://localhost:\${server.address().port}/\`);
  console.log(answer.status, await answer.text());
  server.close();
});
`,
    },
    call: {},
    output: prints('200 <h1>Preview</h1>\n'),
  },
  {
    id: 'word-count',
    needs: ['python3'],
    files: {
      'scripts/count.py': `#!/usr/bin/env python3
import argparse, collections, json
parser = argparse.ArgumentParser()
parser.add_argument('file')
parser.add_argument('--top', type=int, default=3)
options = parser.parse_args()
with open(options.file) as file:
    counts = collections.Counter(file.read().split())
print(json.dumps(counts.most_common(options.top)))
`,
    },
    call: { args: ['words.txt', '--top', '1'], files: [text('words.txt', words)] },
    output: prints('[["the", 2]]\n'),
  },
  {
    id: 'markdown-table',
    needs: ['python3'],
    files: {
      'scripts/table.py': `import csv, sys
rows = list(csv.reader(sys.stdin))
for number, row in enumerate(rows):
    print('| ' + ' | '.join(row) + ' |')
    if number == 0: print('|' + '---|' * len(row))
`,
    },
    call: { stdin: 'a,b\n1,2\n' },
    output: prints('| a | b |\n|---|---|\n| 1 | 2 |\n'),
  },
  {
    id: 'old-python',
    needs: ['python3'],
    files: {
      'scripts/run.py':
        '#!/usr/bin/env python\nimport getpass, os, subprocess, sys\nprint(sys.version_info.major, getpass.getuser(), os.path.expanduser("~"))\nsys.stdout.flush()\nsubprocess.run(["python", "-c", "print(6 * 7)"], check=True)\n',
    },
    call: {},
    output: prints('3 skill /tmp\n42\n'),
  },
  {
    id: 'local-api',
    needs: ['python3'],
    files: {
      'scripts/api.py': `import http.server, json, threading, urllib.request
class Api(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({'path': self.path}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass
server = http.server.HTTPServer(('localhost', 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(urllib.request.urlopen(f'http://localhost:{server.server_port}/status').read().decode())
`,
    },
    call: {},
    output: prints('{"path": "/status"}\n'),
  },
  {
    id: 'shared-counter',
    needs: ['python3'],
    files: {
      'scripts/count.py': `from multiprocessing import Manager, Process
def add(values, number): values[number] = number * number
if __name__ == '__main__':
    with Manager() as manager:
        values = manager.dict()
        processes = [Process(target=add, args=(values, number)) for number in range(3)]
        for process in processes: process.start()
        for process in processes: process.join()
        print(sorted(values.values()))
`,
    },
    call: {},
    output: prints('[0, 1, 4]\n'),
  },
  {
    id: 'archive',
    needs: ['python3'],
    files: {
      'scripts/office/__init__.py': '',
      'scripts/office/parts.py': 'def names(archive): return sorted(archive.namelist())\n',
      'scripts/pack.py': `import sys, zipfile
from office.parts import names
with zipfile.ZipFile('out.zip', 'w') as archive:
    for path in sys.argv[1:]: archive.write(path)
with zipfile.ZipFile('out.zip') as archive: print(names(archive))
`,
    },
    call: { script: 'scripts/pack.py', args: ['b', 'a'], files: [text('a', '1'), text('b', '2')] },
    output: prints("['a', 'b']\n"),
    leaves: [{ path: 'out.zip', base64: expect.stringMatching(/^UEsD/) }],
  },
  {
    id: 'rot13',
    needs: ['perl'],
    files: {
      'scripts/rot13.pl':
        '#!/usr/bin/perl -w\nuse strict;\nwhile (<STDIN>) { tr/A-Za-z/N-ZA-Mn-za-m/; print; }\n',
    },
    call: { stdin: 'Hello\n' },
    output: prints('Uryyb\n'),
  },
  {
    id: 'user-report',
    needs: ['perl'],
    files: {
      'scripts/report.pl':
        '#!/usr/bin/env perl\nuse strict;\nuse warnings;\nuse POSIX qw(setlocale LC_ALL);\nprint scalar(getpwuid($<)), " ", setlocale(LC_ALL, ""), "\\n";\n',
    },
    call: {},
    output: prints('skill C.UTF-8\n'),
  },
  {
    id: 'log-summary',
    needs: ['perl'],
    files: {
      'scripts/summary.pl': `#!/usr/bin/env perl
my %seen;
open(my $log, '<', $ARGV[0]) or die "cannot open $ARGV[0]: $!";
while (<$log>) { $seen{$1}++ if /^(\\w+):/; }
print "$_ $seen{$_}\\n" for sort keys %seen;
`,
    },
    call: { args: ['app.log'], files: [text('app.log', 'WARN: a\nINFO: b\nWARN: c\n')] },
    output: prints('INFO 1\nWARN 2\n'),
  },
  {
    id: 'title-case',
    needs: [],
    files: {
      'ambit.yaml': 'run: { runtime: wasm, entry: index.js }\n',
      'index.js':
        'export default ({ text }) => ({ text: text.replace(/\\b\\w/g, (letter) => letter.toUpperCase()) });\n',
    },
    call: { input: { text: 'the old man' } },
    output: { text: 'The Old Man' },
  },
  {
    id: 'initials',
    needs: [],
    files: {
      'ambit.yaml': 'run: { runtime: wasm, entry: scripts/run.js, capabilities: { state: write } }\n',
      'assets/titles.txt': 'Dr\nProf\n',
      'scripts/run.js': `import { readFile, stateGet, stateSet } from 'ambit';
import { initials } from './initials.js';
const titles = readFile('assets/titles.txt').trim().split('\\n');
export default ({ name }) => {
  const seen = [...(stateGet('seen') ?? []), initials(name, titles)];
  stateSet('seen', seen);
  return seen;
};
`,
      'scripts/initials.js': `export const initials = (name, titles) =>
  name.split(' ').filter((part) => !titles.includes(part)).map(([first]) => first).join('');
`,
    },
    call: { input: { name: 'Dr Ada Lovelace' } },
    output: ['AL'],
  },
  {
    id: 'greeting',
    needs: [],
    files: {
      'ambit.yaml': 'run: { runtime: wasm, protocol: command, entry: greeting.wasm }\n',
      'greeting.wasm': command('(call $print (i32.const 1) (i32.const 0) (i32.const 6))', 'hello\n'),
    },
    call: { args: [] },
    output: prints('hello\n'),
  },
];
