// Threat model: T10, T11, T12, T13, T14, T15, T16, T17, T18, T19, T20, T85, T104

import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
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

/** Python reads this table of file types, where the machine has it. */
const fileTypes = existsSync('/etc/mime.types') ? ['mime.types'] : [];

const run = {
  capabilities: { exec: ['python3'], filesystem: { read: ['granted'], write: ['workspace', 'granted'] } },
};

const readOnly = ['EROFS'];
/** Python's result of a successful operation. */
const done = ['None', 'written'];
const absent = 'ENOENT';

const attacksAs = (caller: string): AttackTable => [
  ['an absolute path to a host file', absent, 'to read'],
  ['".." out of the skill folder', absent, 'a note'],
  ['".." out of a granted path', absent, 'to read'],
  ['a symlink in the skill folder that leads out', absent, 'a note'],
  ['a symlink in a granted path that leads out', absent, 'to read'],
  ['a symlink planted in the workspace that leads out', absent, 'own'],
  ['a symlink planted in a granted path that leads out', absent, 'to write'],
  ['a hard link from a skill file to a writable folder', 'EXDEV', 'own'],
  ['a hard link from a readable path to a writable path', 'EXDEV', 'to write'],
  ['the root of every process', [absent], 'a note'],
  ['the working directory of the first process, and its parents', absent, 'a note'],
  ['the root of the daemon, by its process id on the host', absent, true],
  ['inherited descriptors of its own process', [], [0, 1, 2]],
  // bubblewrap's own, through which it reports how the run ended.
  ['open descriptors of the first process', ['anon_inode:[eventfd]'], [0, 1, 2]],
  ['an inherited descriptor of the daemon', 'EBADF', true],
  ['device nodes of the host', [absent], [4, 4096]],
  ['devices other than the harmless ones', [], ['full', 'null', 'random', 'tty', 'urandom', 'zero']],
  ['kernel memory', [true, true], 'Linux'],
  ['/sys', absent, true],
  ['a setuid program in a granted path', '1000 1000 1000\n', '1000 1000 1000\n'],
  ["the host's home folders", [absent], true],
  [
    "the host's user accounts and settings",
    [absent],
    [
      'alternatives',
      ...(caller === 'root' ? ['gitconfig'] : []),
      'group',
      'hosts',
      'ld.so.cache',
      ...fileTypes,
      'nsswitch.conf',
      'passwd',
    ],
  ],
  ["the host's users and names in the sandbox's own files", [], '127.0.0.1 localhost ambit\n'],
  ["the host's other folders", [absent], true],
  ["another user's file in a granted path", 'EACCES', 'to read'],
  // Only root can create a file of another user; an ordinary user can change its own.
  ['making another user’s file readable', process.getuid?.() === 0 ? 'EPERM' : null, null],
  ['changing its own folder', readOnly, done],
  ['changing its own script', readOnly, 'written'],
  ['changing the libraries', ['EROFS', true], true],
  ['changing the programs', ['EROFS', true, true], true],
  ['changing the root folder', readOnly, done],
  ['files in the device folder', [], done],
  ['changing a path granted for reading', readOnly, done],
  ['reopening a readable file for writing', 'EROFS', 1],
  ['writing to a file through a memory mapping', 'EACCES', 3],
  ['remounting its own folder as writable', 'EPERM', 1],
  ['unmounting a mount that hides a path', 'EPERM', true],
];

describe.each(callers)('as $name', (caller) => {
  const ground = stage(caller, async (folder) => {
    await mkdir(join(folder, 'secret'));
    await writeFile(join(folder, 'secret/file'), 'a secret');
    return { openFile: join(folder, 'secret/file'), env: { HOME: homedir() } };
  });

  testAttacks(attacksAs(caller.name), async () => {
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'files.py', run);
    const { readable, writable } = await plant(folder, skill, program.skillUser);
    return findings(program, skill, {
      given: {
        secret: join(folder, 'secret/file'),
        readable,
        writable,
        daemon: program.pid,
        descriptor: 40,
        home: homedir(),
        host: await accountsOfHost(),
      },
      grant: { filesystem: { read: [readable], write: [writable] } },
    });
  });

  test('the daemon had the inheritable descriptor of the attack above', () => {
    expect(ground.program.inherited.includes(40)).toBe(true);
  });
});

/** Host files that have their own version in a sandbox, by name. */
async function accountsOfHost(): Promise<Record<string, string>> {
  const names = ['passwd', 'group', 'hosts', 'nsswitch.conf'];
  const texts = names.map((name) => readFile(`/etc/${name}`, 'utf8').catch(() => 'missing'));
  return Object.fromEntries((await Promise.all(texts)).map((text, at) => [names[at], text]));
}

/** The attacks' targets, besides granted paths. */
async function plant(
  folder: string,
  skill: string,
  skillUser: number,
): Promise<{ readable: string; writable: string }> {
  const secret = join(folder, 'secret/file');
  await writeFile(join(skill, 'note'), 'a note');
  await symlink(secret, join(skill, 'link-out'));
  await symlink('note', join(skill, 'link-within'));

  const readable = join(folder, 'readable');
  await mkdir(join(readable, 'folder'), { recursive: true });
  await writeFile(join(readable, 'file'), 'to read');
  await symlink('../secret/file', join(readable, 'link-out'));
  await symlink('file', join(readable, 'link-within'));
  await writeFile(join(readable, 'private'), 'private');
  await copyFile(await realpath('/usr/bin/python3'), join(readable, 'setuid'));
  await giveTo(0, join(readable, 'private'), join(readable, 'setuid'));
  await chmod(join(readable, 'private'), process.getuid?.() === 0 ? 0o600 : 0o000);
  await chmod(join(readable, 'setuid'), 0o6755);

  const writable = join(folder, 'writable');
  await mkdir(writable);
  await writeFile(join(writable, 'file'), 'to write');
  await writeFile(join(writable, 'foreign'), 'of another user');
  // Accessible to its user, so that only the sandbox can refuse.
  const own = [skill, 'note', 'scripts', 'scripts/files.py'].map((path) => resolve(skill, path));
  await giveTo(skillUser, writable, join(writable, 'file'), readable, join(readable, 'file'), ...own);
  return { readable, writable };
}
