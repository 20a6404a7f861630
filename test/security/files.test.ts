import { chmod, copyFile, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackingSkill, type Finding, findings, giveTo, type Stage, stage } from './support/attacker.ts';
import { callers } from './support/callers.ts';

const run = {
  capabilities: { exec: ['python3'], filesystem: { read: ['granted'], write: ['workspace', 'granted'] } },
};

const readOnly = ['EROFS'];
/** What Python answers for what was done. */
const done = ['None', 'written'];
const absent = 'ENOENT';

const attacks: [attack: string, got: unknown, permitted: unknown][] = [
  ['an absolute path to a file of the host', absent, 'to read'],
  ['".." out of the skill folder', absent, 'a note'],
  ['".." out of a granted path', absent, 'to read'],
  ['a symbolic link in the skill folder that leads out', absent, 'a note'],
  ['a symbolic link in a granted path that leads out', absent, 'to read'],
  ['a symbolic link planted in the workspace that leads out', absent, 'own'],
  ['a symbolic link planted in a granted path that leads out', absent, 'to write'],
  ['a hard link that takes a file of the skill where it can be written', 'EXDEV', 'own'],
  ['a hard link that takes a file from a path to read into a path to write', 'EXDEV', 'to write'],
  ['the root of every process', [absent], 'a note'],
  ['the working directory of the first process, and up from there', absent, 'a note'],
  ['the root of the daemon, by its number on the host', absent, true],
  ['descriptors that its own process was started with', [], [0, 1, 2]],
  // bubblewrap's own, by which it tells how the run ended.
  ['descriptors that the first process holds', ['anon_inode:[eventfd]'], [0, 1, 2]],
  ['a descriptor that the daemon had inherited open', 'EBADF', true],
  ['device nodes of the host', [absent], [4, 4096]],
  ['devices beyond the harmless ones', [], ['full', 'null', 'random', 'tty', 'urandom', 'zero']],
  ['the memory of the kernel', [true, true], 'Linux'],
  ['/sys', absent, true],
  ['a setuid program in a granted path', '1000 1000 1000\n', '1000 1000 1000\n'],
  ["the host's home folders", [absent], true],
  [
    "the host's accounts and settings",
    [absent],
    ['alternatives', 'group', 'hosts', 'ld.so.cache', 'nsswitch.conf', 'passwd'],
  ],
  ["the host's users and names in the files that say the sandbox's own", [], '127.0.0.1 localhost ambit\n'],
  ["the host's other places", [absent], true],
  ["another user's file in a granted path", 'EACCES', 'to read'],
  // Only root can make a file of another user's; an ordinary user's own is his to change.
  ['making a file of another user readable', process.getuid?.() === 0 ? 'EPERM' : null, null],
  ['changing its own folder', readOnly, done],
  ['changing its own script', readOnly, 'written'],
  ['changing the libraries', ['EROFS', true], true],
  ['changing the programs', ['EROFS', true, true], true],
  ['changing what the root holds', readOnly, done],
  ['files among the devices', [], done],
  ['changing a path that was granted to read', readOnly, done],
  ['opening for writing what it holds open for reading', 'EROFS', 1],
  ['writing to a file through memory', 'EACCES', 3],
  ['mounting its own folder anew, to write', 'EPERM', 1],
  ['unmounting what covers a place', 'EPERM', true],
];

describe.each(callers)('as $name', (caller) => {
  let ground: Stage;
  let found: Record<string, Finding>;

  beforeAll(async () => {
    ground = await stage(caller, async (folder) => {
      await mkdir(join(folder, 'secret'));
      await writeFile(join(folder, 'secret/file'), 'a secret');
      return { openFile: join(folder, 'secret/file'), env: { HOME: homedir() } };
    });
    const { folder, program } = ground;
    const skill = await attackingSkill(folder, 'files.py', run);
    const { readable, writable } = await plant(folder, skill, program.skillUser);
    found = await findings(program, skill, {
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
  afterAll(() => ground.close());

  test.each(attacks)('%s', (name, attack, permitted) => {
    expect(found[name]).toEqual({ attack, permitted });
  });

  test('every attack of the script is one of these', () => {
    expect(Object.keys(found).sort()).toEqual(attacks.map(([name]) => name).sort());
  });

  test('the descriptor of the attack above was there to be inherited', () => {
    expect(ground.program.inherited.includes(40)).toBe(true);
  });
});

/** The host's files that a sandbox has of its own, by name. */
async function accountsOfHost(): Promise<Record<string, string>> {
  const names = ['passwd', 'group', 'hosts', 'nsswitch.conf'];
  const texts = names.map((name) => readFile(`/etc/${name}`, 'utf8').catch(() => 'missing'));
  return Object.fromEntries((await Promise.all(texts)).map((text, at) => [names[at], text]));
}

/** What the attacks aim at, beside what they are granted. */
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
  await writeFile(join(writable, 'foreign'), 'of somebody else');
  // Its user's own, so that nothing but the sandbox can refuse.
  const own = [skill, 'note', 'scripts', 'scripts/files.py'].map((path) => resolve(skill, path));
  await giveTo(skillUser, writable, join(writable, 'file'), readable, join(readable, 'file'), ...own);
  return { readable, writable };
}
