// Threat model: T65, T101

import { chmod, copyFile, mkdir, realpath, stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type AttackTable,
  attackingSkill,
  findings,
  giveTo,
  stage,
  testAttacks,
} from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

const run = { capabilities: { exec: ['python3'], filesystem: { read: ['granted'], write: ['granted'] } } };

const refused = 'EPERM';
const none = { Inh: 0, Prm: 0, Eff: 0, Bnd: 0, Amb: 0 };
const inside = ['1000', '1000', '1000', '1000'];

const attacks: AttackTable = [
  ['capabilities, in any of its sets', none, inside],
  ['capabilities of the first process', none, inside],
  ['setuid programs', ['ran'], ['1', '2']],
  ['clearing no_new_privs', 'EINVAL', 1],
  ['becoming another user', true, null],
  ['becoming another group', true, null],
  ['the daemon’s groups', [], 1000],
  ['raising capabilities', [refused, refused], 0],
  ['a new user namespace, through a program', refused, true],
  ['another user id map', [true, true, true], true],
  ['another root folder', refused, null],
  ['mounting new file systems', [refused], null],
  ['creating device nodes', [refused], null],
  ['creating device nodes in a writable host folder', refused, null],
  ['changing the owner of files', [true, true, true], null],
  ['leaving a setuid program on the host', new Array(7).fill('0o0'), [null, '0o0']],
  ['capabilities in extended attributes', [true, true], []],
  ['a higher priority', [refused, true], Math.min(getPriority() + 5, 19)],
  ['higher resource limits', true, null],
  ['escaping the out-of-memory killer', true, 'written'],
  ['another host name', refused, 'ambit'],
  ['the owner and parent of a namespace', refused, 0x1000_0000],
  ['entering the namespaces of the first process', [refused], true],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller);
  let writable: string;

  testAttacks(attacks, async () => {
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'privilege.py', run);
    const readable = join(folder, 'readable');
    writable = join(folder, 'writable');
    for (const path of [readable, writable]) await mkdir(path);
    await plantCapable(join(readable, 'capable'));
    await giveTo(program.skillUser, writable);
    return findings(program, skill, {
      given: { readable, writable },
      grant: { filesystem: { read: [readable], write: [writable] } },
    });
  });

  test('a skill is neither root on the host nor the user of a root daemon', async () => {
    const { uid, gid } = await stat(join(writable, 'mine'));
    const { skillUser, uid: daemon } = ground.program;
    expect({ uid, gid }).toEqual({ uid: skillUser, gid: skillUser });
    // An ordinary user cannot become another user; a root daemon can.
    expect({ root: uid === 0, daemon: uid === daemon }).toEqual({ root: false, daemon: daemon !== 0 });
  });
});

/** A Python with capabilities from the host, if the tests may grant any. */
async function plantCapable(path: string): Promise<void> {
  await copyFile(await realpath('/usr/bin/python3'), path);
  await chmod(path, 0o755);
  if (process.getuid?.() !== 0) return;
  const everything = 'struct.pack("<5I", 0x02000001, 0xffffffff, 0, 0x1ff, 0)';
  await hostPython(
    `import os, struct, sys; os.setxattr(sys.argv[1], "security.capability", ${everything})`,
    path,
  );
}
