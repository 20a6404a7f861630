// Threat model: T2

import { expect, test } from 'vitest';
import { findHostProgram } from '../../../packages/runtime/src/index.ts';
import { type Daemon, startDaemon, temporaryFolder } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { writeSkills } from '../../support/skills.ts';

async function daemonWith(skills: Record<string, Record<string, string>>): Promise<Daemon> {
  const path = await temporaryFolder();
  await writeSkills(path, skills);
  return startDaemon({ skills: [{ path, tier: 'local' }] });
}

test('a python script runs with python3 if there is no python, and can start python itself', async () => {
  const daemon = await daemonWith({
    old: {
      'scripts/run.py':
        '#!/usr/bin/env python\nimport subprocess, sys\nsubprocess.run(["python", "-c", "print(7)"])\nprint(sys.version_info.major)\n',
    },
  });
  expect((await daemon.execute('old', {})).body.outcome).toMatchObject({
    status: 'succeeded',
    output: { stdout: '7\n3\n', stderr: '' },
  });
});

test('a missing program is PROGRAM_MISSING over HTTP and on the command line, with one record each', async () => {
  const daemon = await daemonWith({
    lacking: { 'scripts/run.zz': '#!/usr/bin/env no-such-program\n' },
    having: { 'scripts/run.sh': '#!/bin/sh\necho here\n' },
  });
  const detail =
    'lacking needs no-such-program, which is not installed in /usr/local/bin, /usr/bin, /bin. ' +
    'Install it, or link it into /usr/local/bin';
  const refused = await daemon.execute('lacking', {});
  expect(refused).toMatchObject({ status: 501, body: { code: 'PROGRAM_MISSING', detail } });
  expect(await ambit(['run', 'lacking', '--data-dir', daemon.dataDir])).toEqual({
    ...{ code: 4, stdout: '' },
    stderr: `ambit: PROGRAM_MISSING: ${detail}\nTo see which common programs are installed, run: ambit doctor --data-dir ${daemon.dataDir}\n`,
  });
  const records = await daemon.audit('?skill=lacking');
  expect(records.map(({ error, outcome }) => [error?.code, outcome])).toEqual([
    ['PROGRAM_MISSING', 'denied'],
    ['PROGRAM_MISSING', 'denied'],
  ]);
  expect(await ambit(['run', 'having', '--data-dir', daemon.dataDir])).toMatchObject({ stdout: 'here\n' });
});

test.each(
  [
    ['ffmpeg', 'ffmpeg'],
    ['php', 'php-cli'],
    ['ruby', 'ruby'],
    ['pdftotext', 'poppler-utils'],
    ['soffice', 'libreoffice'],
  ].filter(([program = '']) => findHostProgram(program) === undefined),
)('without %s the refusal names the package %s', async (program, name) => {
  const daemon = await daemonWith({ lacking: { 'scripts/run': `#!/usr/bin/env ${program}\n` } });
  expect((await daemon.execute('lacking', {})).body).toMatchObject({
    code: 'PROGRAM_MISSING',
    detail: `lacking needs ${program}, which is not installed in /usr/local/bin, /usr/bin, /bin. On Debian or Ubuntu: apt-get install ${name}`,
  });
});

test.each(['..', '.', '../..', '\u001b[31m'])('a shebang that names %j is not a program', async (name) => {
  const daemon = await daemonWith({
    odd: {
      'scripts/odd': `#!/usr/bin/env ${name}\n`,
      'scripts/run.sh': '#!/bin/sh\ncd /usr/bin && echo *\n',
    },
  });
  const { body } = await daemon.execute('odd', { script: 'scripts/odd' });
  expect({ code: body.code, scripts: (await daemon.request('GET', '/skills/odd')).body.scripts }).toEqual({
    code: 'INPUT_INVALID',
    scripts: [{ path: 'scripts/run.sh', interpreter: 'sh', runtime: 'process' }],
  });
});
