// Threat model: T363, T364, T365, T366, T367

import { chown, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AttackTable,
  attackingSkill,
  execution,
  findings,
  stage,
  testAttacks,
} from './support/attacker.ts';
import { callers } from './support/callers.ts';
import { hostPython } from './support/host-python.ts';

/** The user whose rights a skill gets, which is also the ordinary user of these tests. */
const user = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? -1);
const group = process.getuid?.() === 0 ? 65_534 : (process.getgid?.() ?? -1);

const run = { capabilities: { exec: ['python3'], host: true } };
const secret = 'a-secret-of-the-operator';

const busy = 'EBUSY';
const hidden = 'EACCES';

const attacks: AttackTable = [
  ['listing the data directory', hidden, ['inner']],
  ['reading the key, the configuration and a secret', [hidden, hidden, hidden], 'file'],
  ['a new file in the data directory', hidden, 'written'],
  ['replacing the configuration', ['EACCES', busy, busy], null],
  ['moving the folders above what is hidden', [busy, busy, busy, busy], null],
  ['exchanging the data directory with another folder', busy, 0],
  ['other ways to the same folder', new Array(5).fill(hidden), 'file'],
  ['a hard link to a hidden file', [hidden, 'EXDEV'], 'file'],
  ['changing what hides it', ['EROFS', busy], null],
  ['removing the mounts', ['EPERM', 'EPERM'], 'ENOENT'],
  ['new namespaces, in which the mounts could be undone', ['EPERM', true], true],
  ['skills and their grants', ['EROFS', 'EROFS', 'EROFS'], 'written'],
  ['variables with secrets', [[], false], true],
  ['processes of the host', 'ESRCH', null],
  ['open files of the daemon', [], true],
  ['Unix sockets, also abstract ones of the host’s network', 'EAFNOSUPPORT', 'hello'],
  ['raw sockets', [true, true], null],
  ['capabilities and the rights of other users', [[0, 0, 0, 0, 0], true, true], [user, group]],
  ['leaving the limits through a cgroup', [], true],
  ['kernel file systems that are mounted elsewhere', [], true],
];

describe.each(callers)('as $name', (caller) => {
  const server = createServer((connection) => connection.end('hello'));
  const at = (folder: string, ...path: string[]): string => join(folder, 'top', 'above', ...path);
  const ground = stage(caller, async (folder) => {
    for (const each of ['project/.ambit', 'project/skills', 'linked', 'secret', 'beside/folder/inner'])
      await mkdir(at(folder, each), { recursive: true });
    await symlink(at(folder, 'linked'), at(folder, 'project/skills/linked'));
    const files = ['project/.ambit/key', 'project/ambit.config.yaml', 'secret/token', 'beside/file'];
    for (const file of files) await writeFile(at(folder, file), 'file', { mode: 0o600 });
    await ownAll(join(folder, 'top'));
    const paths = ['project/.ambit', 'project/ambit.config.yaml', 'secret/token'];
    return {
      env: {
        AMBIT_TEST_HIDDEN: JSON.stringify(paths.map((path) => at(folder, path))),
        AMBIT_TEST_READ_ONLY: JSON.stringify([at(folder, 'project/skills')]),
        API_TOKEN_SOURCE: secret,
        COPY_OF_IT: `Bearer ${secret}`,
      },
    };
  });
  const given = () => {
    const { port } = server.address() as { port: number };
    const above = at(ground.folder);
    return { above, project: join(above, 'project'), secret, port, pid: ground.program.pid };
  };
  let skill: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    skill = await attackingSkill(ground.folder, 'host.py', run);
  });
  afterAll(() => void server.close());

  testAttacks(attacks, () => findings(ground.program, skill, { given: given(), grant: { host: true } }));

  /** The message of the refusal, or the status of the outcome. */
  async function called(attempt: object = {}): Promise<string> {
    const whole = { given: given(), grant: { host: true }, ...attempt };
    return execution(ground.program, skill, whole).then(
      ({ outcome }) => outcome.status,
      (error: Error) => error.message,
    );
  }

  const moves: [string, (folder: string) => Promise<() => Promise<void>>, string][] = [
    [
      'moved away with the folder above it',
      async (folder) => {
        const [from, to] = [at(folder, 'project'), at(folder, 'elsewhere')];
        await rename(from, to);
        await mkdir(at(folder, 'project/.ambit'), { recursive: true });
        return async () => {
          await rm(from, { recursive: true });
          await rename(to, from);
        };
      },
      'is not the file or folder that it was when Ambit read its configuration',
    ],
    [
      'replaced by a link to it',
      async (folder) => {
        const [from, to] = [at(folder, 'project/.ambit'), at(folder, 'elsewhere')];
        await rename(from, to);
        await symlink(to, from);
        return async () => {
          await rm(from);
          await rename(to, from);
        };
      },
      'is not the file or folder that it was when Ambit read its configuration',
    ],
    [
      'a folder of skills that the skill could create',
      async (folder) => {
        const [from, to] = [at(folder, 'project/skills'), at(folder, 'elsewhere')];
        await rename(from, to);
        return () => rename(to, from);
      },
      'does not exist and which ',
    ],
    [
      'a folder of skills behind a link that the skill could replace',
      async (folder) => {
        const [from, to] = [at(folder, 'project/skills'), at(folder, 'elsewhere')];
        await rename(from, to);
        await symlink(to, from);
        return async () => {
          await rm(from);
          await rename(to, from);
        };
      },
      'may replace the symlink ',
    ],
    [
      'a skill behind two links, of which the skill could replace the second',
      async (folder) => {
        const [first, second] = [at(folder, 'project/skills/tool'), at(folder, 'beside/tool')];
        await symlink(at(folder, 'linked'), second);
        await symlink(second, first);
        return async () => {
          await rm(first);
          await rm(second);
        };
      },
      'may replace the symlink ',
    ],
    [
      'reachable by another name',
      async (folder) => {
        const other = at(folder, 'beside/key');
        await link(at(folder, 'project/.ambit/key'), other);
        return () => rm(other);
      },
      'has other names (hard links)',
    ],
  ];

  test.each(moves)('nothing runs while something that has to be protected is %s', async (_, move, why) => {
    const back = await move(ground.folder);
    const refused = await called();
    await back();
    expect(refused).toMatch(/^SANDBOX_UNAVAILABLE: /);
    expect(refused).toContain(why);
    expect(refused).toContain(
      ', so it cannot be protected from a program with the rights of a user. Nothing ran. ',
    );
    expect(await called()).toBe('succeeded');
  });

  test('a denied path is hidden, and a rule that cannot be enforced refuses the call', async () => {
    const beside = at(ground.folder, 'beside');
    const reader = await attackingSkill(join(ground.folder, 'reading'), 'reader.py', run);
    const read = (deny: object) =>
      execution(ground.program, reader, { given: { file: `${beside}/file` }, grant: { host: true }, deny });
    expect((await read({})).outcome).toEqual({ status: 'succeeded', output: 'file' });
    expect((await read({ filesystem: { read: [beside] } })).outcome).toEqual({
      status: 'succeeded',
      output: 'EACCES',
    });
    for (const deny of [{ network: ['*.internal'] }, { exec: ['curl'] }, { host: true }])
      await expect(read(deny)).rejects.toThrow(/^CAPABILITY_DENIED: .* would reach past the deny rule /);
    await symlink(at(ground.folder, 'linked'), `${beside}/denied`);
    await expect(read({ filesystem: { read: [`${beside}/denied`] } })).rejects.toThrow(
      `may replace the symlink ${beside}/denied`,
    );
    await expect(read({ filesystem: { write: [`${beside}/none`] } })).rejects.toThrow(
      `the deny rule ${beside}/none names a path that does not exist`,
    );
    await expect(read({ filesystem: { read: ['/sys/class'] } })).rejects.toThrow(
      'the deny rule /sys/class names a path of the kernel',
    );
  });

  test('two calls at the same time both find everything hidden', async () => {
    const calls = [called(), called(), called()];
    expect(await Promise.all(calls)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test.runIf(process.getuid?.() === 0)('a second mount of the same folder is hidden as well', async () => {
    const [again, processes] = [at(ground.folder, 'beside/again'), at(ground.folder, 'beside/processes')];
    for (const folder of [again, processes]) await mkdir(folder);
    const mount =
      'import ctypes, sys; l = ctypes.CDLL(None); a = [s.encode() for s in sys.argv[1:]]; ' +
      'sys.exit(l.mount(a[0], a[1], None, 4096, None) | l.mount(b"proc", a[2], b"proc", 0, None))';
    await hostPython(mount, at(ground.folder, 'project'), again, processes);
    try {
      const reader = await attackingSkill(join(ground.folder, 'reading'), 'reader.py', run);
      const read = async (file: string) =>
        (await execution(ground.program, reader, { given: { file }, grant: { host: true } })).outcome;
      const listed = [`${again}/.ambit/key`, `${again}/ambit.config.yaml`, `${processes}/1/status`];
      expect(await Promise.all(listed.map(read))).toEqual(
        listed.map(() => ({ status: 'succeeded', output: 'EACCES' })),
      );
      expect(await read(at(ground.folder, 'beside/file'))).toEqual({ status: 'succeeded', output: 'file' });
    } finally {
      const unmount = 'import ctypes, sys; [ctypes.CDLL(None).umount2(s.encode(), 2) for s in sys.argv[1:]]';
      await hostPython(unmount, again, processes);
    }
  });

  test('no other tier gets the rights of a user, also with a grant', async () => {
    for (const tier of ['verified', 'untrusted'] as const)
      expect(await called({ tier })).toMatch(/^CAPABILITY_DENIED: /);
    expect(await called({ grant: {} })).toMatch(
      /^CAPABILITY_DENIED: attacker needs host, which is not granted/,
    );
    expect(await called({ tier: 'local' })).toBe('succeeded');
  });

  async function ownAll(folder: string): Promise<void> {
    if (process.getuid?.() !== 0) return;
    const script =
      'import os, sys; r = sys.argv[1]; u = int(sys.argv[2]); os.chown(r, u, u); ' +
      '[os.chown(os.path.join(d, n), u, u) for d, a, b in os.walk(r) for n in a + b]';
    await hostPython(script, folder, String(user));
    await chown(folder, user, group);
  }
});
