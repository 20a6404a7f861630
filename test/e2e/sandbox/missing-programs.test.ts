// Threat model: T2

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

/** Programs that are not installed here, with their Debian packages. */
const missing = [
  ['ffmpeg', 'ffmpeg'],
  ['php', 'php-cli'],
  ['pdftotext', 'poppler-utils'],
].filter(([program = '']) => findHostProgram(program) === undefined);

const odd = ['..', '.', '../..', '\u001b[31m'];

const shared = sharedDaemon(async (path) => {
  await writeSkills(path, {
    old: {
      'scripts/run.py':
        '#!/usr/bin/env python\nimport subprocess, sys\nsubprocess.run(["python", "-c", "print(7)"])\nprint(sys.version_info.major)\n',
    },
    lacking: { 'scripts/run.zz': '#!/usr/bin/env no-such-program\n' },
    engines: {
      'package.json': '{ "engines": { "node": ">=99" } }',
      'scripts/run.js': '#!/usr/bin/env node\nconsole.log("later");\n',
    },
    'engines-met': {
      'package.json': '{ "engines": { "node": ">=99" } }',
      'scripts/package.json': '{ "engines": { "node": "^1 || >=18" } }',
      'scripts/run.js': '#!/usr/bin/env node\nconsole.log("now");\n',
    },
    having: { 'scripts/run.sh': '#!/bin/sh\necho here\n' },
    ...Object.fromEntries(
      missing.map(([program]) => [`needs-${program}`, { 'scripts/run': `#!/usr/bin/env ${program}\n` }]),
    ),
    ...Object.fromEntries(
      odd.map((name, at) => [
        `odd-${at}`,
        {
          'scripts/odd': `#!/usr/bin/env ${name}\n`,
          'scripts/run.sh': '#!/bin/sh\ncd /usr/bin && echo *\n',
        },
      ]),
    ),
  });
  for (const [tier, root] of [
    ['local', path],
    ['untrusted', join(path, 'strange')],
  ] as const)
    await writeSkills(root, {
      [`versions-${tier}`]: {
        'scripts/later.py': inline('>=3.99', 'print("later")'),
        'scripts/patch.py': inline('>=3.11.99,<3.99', 'print("patch")'),
        'scripts/now.py': inline('>=3.9', 'print("now")'),
        'scripts/odd.py': inline('whatever', 'print("odd")'),
      },
    });
  return {
    skills: [
      { path, tier: 'local' },
      { path: join(path, 'strange'), tier: 'untrusted' },
    ],
  };
});

function inline(range: string, body: string): string {
  return `# /// script\n# requires-python = "${range}"\n# ///\n${body}\n`;
}

test('a script that declares another version of its interpreter is refused before it starts, with both versions', async () => {
  const daemon = shared();
  const [, python = ''] = execFileSync('/usr/bin/python3', ['--version']).toString().trim().split(' ');
  const called = async (script: string, tier = 'local') => {
    const { status, body } = await daemon.execute(`versions-${tier}`, { script });
    return body.code === undefined ? body.outcome.output?.stdout : [status, body.code, body.detail];
  };
  const refusal = (range: string, file: string) => [
    501,
    'PROGRAM_MISSING',
    `versions-local needs Python "${range}", as ${file} declares, and this machine has Python ${python}. Install a version in that range, and link it as python3 into /usr/local/bin`,
  ];
  expect(await called('scripts/later.py')).toEqual(refusal('>=3.99', 'scripts/later.py'));
  expect(await called('scripts/patch.py')).toEqual(refusal('>=3.11.99,<3.99', 'scripts/patch.py'));
  expect([await called('scripts/now.py'), await called('scripts/odd.py')]).toEqual(['now\n', 'odd\n']);
  expect(await called('scripts/later.py', 'untrusted')).toEqual([
    501,
    'PROGRAM_MISSING',
    'versions-untrusted needs Python ">=3.99", as scripts/later.py declares, and WebAssembly has Python 3.11.2. The Python of this machine can only run it as a program; a person decides about that: ambit skills review versions-untrusted',
  ]);
  expect(await called('scripts/now.py', 'untrusted')).toBe('now\n');
  expect(
    (await ambit(['run', 'versions-local', '--script', 'scripts/later.py', '--data-dir', daemon.dataDir]))
      .code,
  ).toBe(4);
});

test.skipIf(findHostProgram('node') === undefined)(
  'a Node script is held to the engines of the nearest package.json',
  async () => {
    const version = execFileSync(findHostProgram('node')?.file ?? '', ['--version'])
      .toString()
      .trim()
      .slice(1);
    const { body } = await shared().execute('engines', {});
    expect(body.detail).toBe(
      `engines needs Node ">=99", as package.json declares, and this machine has Node ${version}. Install a version in that range, and link it as node into /usr/local/bin`,
    );
    expect((await shared().execute('engines-met', {})).body.outcome.output.stdout).toBe('now\n');
  },
);

test('a python script runs with python3 if there is no python, and can start python itself', async () => {
  expect((await shared().execute('old', {})).body.outcome).toMatchObject({
    status: 'succeeded',
    output: { stdout: '7\n3\n', stderr: '' },
  });
});

test('a missing program is PROGRAM_MISSING over HTTP and on the command line, with one record each', async () => {
  const daemon = shared();
  const detail =
    'lacking needs no-such-program, which is not installed in /usr/local/bin, /usr/bin, /bin. ' +
    'Install it, or link it into /usr/local/bin';
  const refused = await daemon.execute('lacking', {});
  expect(refused).toMatchObject({ status: 501, body: { code: 'PROGRAM_MISSING', detail } });
  expect(await ambit(['run', 'lacking', '--data-dir', daemon.dataDir])).toEqual({
    code: 4,
    stdout: '',
    stderr: `ambit: PROGRAM_MISSING: ${detail}\nTo see which common programs are installed, run: ambit doctor --data-dir ${daemon.dataDir}\n`,
  });
  const records = await daemon.audit('?skill=lacking');
  expect(records.map(({ error, outcome }) => [error?.code, outcome])).toEqual([
    ['PROGRAM_MISSING', 'denied'],
    ['PROGRAM_MISSING', 'denied'],
  ]);
  expect(await ambit(['run', 'having', '--data-dir', daemon.dataDir])).toMatchObject({ stdout: 'here\n' });
});

test.each(missing)('without %s the refusal names the package %s', async (program, name) => {
  expect((await shared().execute(`needs-${program}`, {})).body).toMatchObject({
    code: 'PROGRAM_MISSING',
    detail: `needs-${program} needs ${program}, which is not installed in /usr/local/bin, /usr/bin, /bin. On Debian or Ubuntu: apt-get install ${name}`,
  });
});

test.each(odd)('a shebang that names %j is not a program', async (name) => {
  const id = `odd-${odd.indexOf(name)}`;
  const { body } = await shared().execute(id, { script: 'scripts/odd' });
  const { scripts } = (await shared().request('GET', `/skills/${id}`)).body;
  expect({ code: body.code, scripts }).toEqual({
    code: 'INPUT_INVALID',
    scripts: [{ path: 'scripts/run.sh', interpreter: 'sh', runtime: 'process' }],
  });
});
