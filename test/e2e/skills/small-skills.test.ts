import { expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { writeSkills } from '../../support/skills.ts';

/** A typical published skill, a call of it, and the result. */
interface SmallSkill {
  id: string;
  /** Required host programs. */
  needs: readonly string[];
  files: Readonly<Record<string, string>>;
  call: object;
  output: unknown;
  /** The changed files, as listed in the answer. */
  leaves?: readonly object[];
}

const text = (path: string, content: string) => ({ path, text: content });

/** The output of a script with protocol `command`. */
const prints = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });

const smallSkills: readonly SmallSkill[] = [
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
];

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, Object.fromEntries(smallSkills.map(({ id, files }) => [id, files])));
  return { skills: [{ path, tier: 'local' }] };
});

test.each(smallSkills.filter(({ needs }) => needs.every((name) => findHostProgram(name) !== undefined)))(
  'the small skill $id runs unchanged',
  async ({ id, call, output, leaves = [] }) => {
    const { body } = await shared().execute(id, call);
    expect({ outcome: body.outcome, files: body.files ?? [] }).toEqual({
      outcome: { status: 'succeeded', output },
      files: leaves.map((left) => expect.objectContaining({ change: 'created', ...left })),
    });
  },
);
