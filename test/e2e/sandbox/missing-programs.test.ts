// Threat model: T2

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
  return { skills: [{ path, tier: 'local' }] };
});

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
