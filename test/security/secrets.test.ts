// Threat model: T66, T67, T87, T242

import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLinesWith } from '../../packages/runtime/src/testing/processes.ts';
import { type AttackTable, attackingSkill, findings, stage, testAttacks } from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { makePipes } from './support/host-python.ts';

const run = { capabilities: { exec: ['python3'], env: ['GRANTED_NAME'], filesystem: { read: ['granted'] } } };

const attacks: AttackTable = [
  ["the daemon's environment, in the skill's environment", [], 'granted value'],
  ['the environment of every process', [], true],
  [
    'the environment of the first process, which the daemon started',
    [],
    ['GRANTED_NAME', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR'],
  ],
  ['the command line of every process', [], true],
  ["the daemon's entries in /proc, by its process id on the host", ['ENOENT'], true],
  ['the memory of the first process', [], true],
  ["the daemon's memory, read from outside it", 'EPERM', 64],
  ['files beside the skill, by name', [], ['granted text']],
  ['paths in the mount table', [], true],
  ['keys in the kernel’s keyrings', 'EPERM', true],
  ['the names of its user’s keys', existsSync('/proc/keys') ? 'EACCES' : 'ENOENT', true],
  ['open sockets of the host', [], []],
];

describe.each(callers)('as $name', (caller) => {
  const canary = `CANARY-${randomUUID()}`;
  const ground = stage(caller, async (folder) => {
    await writeFile(join(folder, `${canary}-beside.txt`), `${canary}-beside`);
    await mkdir(join(folder, 'skills'));
    await writeFile(join(folder, 'skills', 'secrets.txt'), `${canary}-neighbour`);
    return {
      env: { CANARY_PREFIX: canary, AMBIT_SECRET: `${canary}-environment`, GRANTED_NAME: 'granted value' },
      args: [`${canary}-argument`],
    };
  });
  let skill: string;

  testAttacks(attacks, async () => {
    skill = await attackingSkill(ground.folder, 'secrets.py', run);
    const granted = join(ground.folder, 'granted');
    await mkdir(granted);
    await writeFile(join(granted, 'granted.txt'), 'granted text');
    return findings(ground.program, skill, {
      given: { daemon: ground.program.pid },
      grant: { env: ['GRANTED_NAME'], filesystem: { read: [granted] } },
    });
  });

  test('a variable that the skill requests without a grant is refused', async () => {
    const call = { skill, given: {}, files: {}, deny: {}, narrowing: {} };
    const granted = { filesystem: { read: [ground.folder] } };
    expect(await ground.program.call({ ...call, grant: granted })).toEqual({
      refused: { code: 'CAPABILITY_DENIED', message: expect.stringContaining('env GRANTED_NAME') },
    });
  });

  test('a variable that only the caller requests is refused', async () => {
    const call = { skill, given: {}, files: {}, deny: {} };
    const grant = { env: ['GRANTED_NAME'], filesystem: { read: [ground.folder] } };
    const narrowing = { capabilities: { env: ['AMBIT_SECRET'] } };
    expect(await ground.program.call({ ...call, grant, narrowing })).toEqual({
      refused: { code: 'CAPABILITY_DENIED', message: expect.stringContaining('env AMBIT_SECRET') },
    });
  });

  test('a granted value is not in the process list that every host user can read', async () => {
    const granted = join(ground.folder, 'granted');
    const [runs, looked] = [join(granted, 'runs'), join(granted, 'looked')];
    await makePipes(runs, looked);
    const waiting = await attackingSkill(join(ground.folder, 'waiting'), 'waiter.py', run);
    const call = findings(ground.program, waiting, {
      given: { folder: granted },
      grant: { env: ['GRANTED_NAME'], filesystem: { read: [granted] } },
    });
    // Opening it waits for the script.
    await readFile(runs);
    const shown = commandLinesWith('granted value').map((line) => line.split('\0')[0]);
    await readFile(looked);
    expect({ shown, permitted: await call }).toEqual({ shown: [], permitted: 'granted value' });
  });
});
